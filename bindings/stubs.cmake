# Stubs are made from a module called _core and refer to it by that name; in the package it is hedgehop._core.
file(GLOB stubs ${STUBS}/*.pyi)
foreach(stub IN LISTS stubs)
  file(READ ${stub} text)
  string(REGEX REPLACE "([ \n])_core([. \n])" "\\1hedgehop._core\\2" text "${text}")
  file(WRITE ${stub} "${text}")
endforeach()
