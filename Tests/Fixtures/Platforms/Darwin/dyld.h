// <mach-o/dyld.h>, which Apple's systems have in the module MachO.
int _NSGetExecutablePath(char *, unsigned int *);
