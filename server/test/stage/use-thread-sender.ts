// Imported before tests of the sender, it lets them run on one with a thread.
import { pino } from 'pino'
import { createThreadSender } from '../../src/delivery/send-threads/thread-sender.ts'
import { useSender } from './sending.ts'

useSender((options) => createThreadSender({ ...options, threads: 1, logger: pino({ level: 'silent' }) }))
