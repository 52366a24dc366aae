import { spawnSync } from 'node:child_process'

/** A Python of this machine that has a module. */
export const pythonWith = (module: string): string | undefined =>
  ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', `import ${module}`]).status === 0)
