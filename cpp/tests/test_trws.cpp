#include "check.hpp"
int main(){return hedgehop::test::exit_code();}
