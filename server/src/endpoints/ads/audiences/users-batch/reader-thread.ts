// Parses and checks batches of users: five megabytes of JSON would hold up all other requests.
import { parentPort } from 'node:worker_threads'
import { serveCalls } from '../../../../lib/thread-calls.ts'
import { type BatchTerms, readBatch } from './read-batch.ts'

const methods = {
  read: ({ body, terms }: { body: Uint8Array; terms: BatchTerms }) => readBatch(body, terms),
  close: () => {},
}

export type ReaderMethods = typeof methods

if (parentPort) await serveCalls(parentPort, methods)
