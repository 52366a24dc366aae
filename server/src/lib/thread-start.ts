// The first module of every thread: a thread does not inherit the compile cache, and must have it before it loads others.
import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

/** What a thread is started with besides its own data. */
export interface ThreadStart {
  /** The module that serves calls. */
  module: string
  compileCache: string | undefined
}

const { module, compileCache } = (workerData as { start: ThreadStart }).start
if (compileCache !== undefined) enableCompileCache(compileCache)
await import(module)
