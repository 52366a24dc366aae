// Parses and checks batches of users: five megabytes of JSON would hold up all other requests.
import { parentPort } from 'node:worker_threads'
import { serveCalls } from '../../../../lib/thread-calls.ts'
import { type BatchKind, batchRules } from './batch-rules.ts'
import { readBatch } from './read-batch.ts'

const methods = {
  read: ({ body, kind, nowMs }: { body: Uint8Array; kind: BatchKind; nowMs: number }) => readBatch(body, batchRules[kind], nowMs),
  close: () => {},
}

export type ReaderMethods = typeof methods

if (parentPort) await serveCalls(parentPort, methods)
