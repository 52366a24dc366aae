// Starts Postern. What it compiles is kept beside its packages, where that can be written, so that the next start is quicker. This file comes
// before that, and is JavaScript so that nothing has to be loaded which reads TypeScript.
import '../../require-node.js'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// Collects garbage when the heap has grown by half, not fourfold: under load most of it is garbage. Before the compile cache, which is kept
// for these flags.
setFlagsFromString('--heap-growing-percent=50')
module.enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/postern`)
const { start } = await import('./start.ts')
await start()
