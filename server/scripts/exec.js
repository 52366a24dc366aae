#!/usr/bin/env node
// `exec node …` in the scripts of package.json: a shell of POSIX then becomes that node, which so hears the SIGTERM that npm passes on.
// The shell of Windows has no `exec` and finds this file instead.
import { spawn } from 'node:child_process'

spawn(process.execPath, process.argv.slice(3), { stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1))
