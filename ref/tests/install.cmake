# install.cmake: what `cmake --install` puts down works, wherever it is put: the example compiles against it with pkg-config
# and with find_package and trains over MPI; the kit finds its modules and its own golden files.
# Variables: BUILD, SOURCE, WORK (a folder of this test's own), CC, CFLAGS, PKG_CONFIG, MPIRUN (a list), LIBDIR, BINDIR, DATADIR (full paths).

# run(EXIT code COMMAND ...): runs it in WORK; fails on another exit code; what it printed is in `output`.
function(run)
  cmake_parse_arguments(RUN "" "EXIT" "COMMAND" ${ARGN})
  execute_process(
    COMMAND ${RUN_COMMAND}
    WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE code
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  if(NOT code STREQUAL RUN_EXIT)
    list(JOIN RUN_COMMAND " " command)
    message(FATAL_ERROR "${command}\nended with ${code}, not ${RUN_EXIT}:\n${out}${err}")
  endif()
  set(output "${out}${err}" PARENT_SCOPE)
endfunction()

# What the regular expression's first two groups matched in `output` becomes `match_1` and `match_2`.
function(expect regex)
  if(NOT output MATCHES "${regex}")
    message(FATAL_ERROR "expected ${regex} in:\n${output}")
  endif()
  set(match_1 "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(match_2 "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

# DESTDIR, so that absolute folders of an unusual configuration are not written to; and what is there is no longer where it was
# configured to be.
set(stage "${WORK}/stage")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run(EXIT 0 COMMAND "${CMAKE_COMMAND}" -E env "DESTDIR=${stage}" "${CMAKE_COMMAND}" --install "${BUILD}")

# A C program, with pkg-config.
set(pkg_config "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${stage}${LIBDIR}/pkgconfig" "${PKG_CONFIG}")
run(EXIT 0 COMMAND ${pkg_config} --cflags --libs psgd-ref psgd-comm psgd-comm-mpi)
separate_arguments(flags UNIX_COMMAND "${output}")
separate_arguments(CFLAGS UNIX_COMMAND "${CFLAGS}")
set(example "${SOURCE}/ref/examples/train_mpi.c")
run(EXIT 0 COMMAND "${CC}" -std=c11 -O2 -Wall -Wextra -Werror ${CFLAGS} "${example}" ${flags} "-Wl,-rpath,${stage}${LIBDIR}" -o
                   "${WORK}/train_mpi")

# It learns, with and without compression, and sends less.
run(EXIT 0 COMMAND ${MPIRUN} "${WORK}/train_mpi")
set(number "([0-9.]+)")
expect("\n   0 +${number} +${number}\n")
set(first ${match_1} ${match_2})
expect("\n 200 +${number} +${number}\n")
set(last ${match_1} ${match_2})
foreach(before after IN ZIP_LISTS first last)
  if(NOT before GREATER 10 OR NOT after LESS 0.01)
    message(FATAL_ERROR "the loss went from ${before} to ${after}:\n${output}")
  endif()
endforeach()
expect("${number} plain, ${number} compressed")
math(EXPR four_times "4 * ${match_2}")
if(NOT match_1 GREATER four_times)
  message(FATAL_ERROR "too much was sent:\n${output}")
endif()

# The same program with CMake.
file(WRITE "${WORK}/project/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(psgd 1.0 REQUIRED)
add_executable(user \"${example}\")
target_compile_options(user PRIVATE ${CFLAGS})
target_link_options(user PRIVATE ${CFLAGS})
target_link_libraries(user PRIVATE psgd::ref psgd::comm psgd::comm_mpi)
")
run(EXIT 0 COMMAND "${CMAKE_COMMAND}" -S project -B project/build "-DCMAKE_C_COMPILER=${CC}" "-Dpsgd_DIR=${stage}${LIBDIR}/cmake/psgd")
run(EXIT 0 COMMAND "${CMAKE_COMMAND}" --build project/build)

# The kit, from another folder than its own.
set(kit "${stage}${BINDIR}/psgd-conform")
set(golden "${stage}${DATADIR}/psgd/golden/v1")
set(passed "[0-9]+ of [0-9]+ checks passed, 0 failed")
run(EXIT 0 COMMAND "${kit}" list)
expect("torch-r1-w1")
run(EXIT 0 COMMAND "${kit}" run --impl ref --only torch-r1-w1 --golden "${golden}")
expect("${passed}")
run(EXIT 1 COMMAND "${kit}" run --impl faulty:nan --only torch-r1-w1)
run(EXIT 0 COMMAND ${MPIRUN} "${kit}" run --impl ref --only torch-r1-w1)
expect("${passed}")

# The kit's example, as its README says: as a plug-in, and as a program that exchanges files.
set(examples "${stage}${DATADIR}/psgd/examples")
get_filename_component(include "${stage}${LIBDIR}/../include" ABSOLUTE)
run(EXIT 0 COMMAND "${CC}" -std=c11 ${CFLAGS} -shared -fPIC "-I${include}" "${examples}/minimal_port.c" -o libminimal.so -lm)
run(EXIT 0 COMMAND "${kit}" run --impl ./libminimal.so --only core-long)
expect("${passed}")
run(EXIT 0 COMMAND ${pkg_config} --cflags --libs psgd-comm)
separate_arguments(flags UNIX_COMMAND "${output}")
set(core "${SOURCE}/ref/core")
file(GLOB sources "${SOURCE}/conformance/examples/files_[crt]*.c" "${core}/safetensors*.c" "${core}/config.c" "${core}/layout.c")
run(EXIT 0 COMMAND "${CC}" -std=c11 -D_POSIX_C_SOURCE=200809L ${CFLAGS} "-I${SOURCE}/ref" "-I${SOURCE}/ref/include" ${sources}
                   "${examples}/minimal_port.c" ${flags} "-Wl,-rpath,${stage}${LIBDIR}" -ljansson -lm -lpthread -o my_port_files)
run(EXIT 0 COMMAND "${kit}" run --exec ./my_port_files --only core-long)
expect("${passed}")

# The golden files that it takes are those installed with it, though the source tree has others.
file(APPEND "${golden}/torch-r1-w1.safetensors" "x")
run(EXIT 5 COMMAND "${kit}" run --impl ref --only torch-r1-w1)
expect("stage.*torch-r1-w1.safetensors is corrupt")
