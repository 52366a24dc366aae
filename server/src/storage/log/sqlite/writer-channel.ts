import { startThread, type ThreadCalls } from '../../../lib/thread-calls.ts'
import type { Writer } from './writer.ts'

export type WriterChannel = ThreadCalls<Writer>

/** Starts the writer thread on the file at `path`. Every call rejects once the thread has ended or could not open the file. */
export const startWriter = (path: string): WriterChannel => startThread<Writer>(new URL('./writer-thread.ts', import.meta.url), { path })
