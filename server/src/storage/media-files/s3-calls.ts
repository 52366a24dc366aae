import type { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../../lib/clock.ts'
import { lazy } from '../../lib/lazy.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { StorageFull } from '../media-files.ts'
import { createOutage } from '../outage.ts'
import type { StorageLog } from '../storage-log.ts'
import { Unavailable } from '../unavailable.ts'
import type { S3Place } from './s3-place.ts'

const CONNECT_MS = 3 * SECOND_MS
/** Without a byte from the server: longer than a client may stop reading what is served from there. */
const SILENT_MS = 150 * SECOND_MS
/** To the headers of an answer, where the largest request has a part of a file: less than the minute that proxies wait for one. */
const ANSWER_MS = 45 * SECOND_MS

/** Connections at the same time, which are opened as they are needed: those that serve clients are apart, for a client can keep one busy. */
const MAX_SOCKETS = { work: 50, clients: 1000 }
type Pool = keyof typeof MAX_SOCKETS

/** Names of errors for a store without room: of Amazon, MinIO and Ceph. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'EntityTooLarge'])

const AWAY = 'The store of media is unavailable. Nothing was changed; retry in a moment.'

const nameOf = (error: unknown) => (error as Error).name

/** Whether the server says that there is no such object. */
export const isNoSuchObject = (error: unknown): boolean => nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound'

/** Whether the server says that a range begins behind the end of the object. */
export const isBeyondEnd = (error: unknown): boolean => nameOf(error) === 'InvalidRange'

type Library = typeof import('@aws-sdk/client-s3')

/** The commands of the library, and a client for this place; loaded with the first call: it takes 130 ms. */
async function load({ region, endpoint }: S3Place, pool: Pool): Promise<{ library: Library; client: S3Client }> {
  const library = await import('@aws-sdk/client-s3')
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS[pool] }
  const client = new library.S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // The checksums that the library adds by itself are not known to every compatible server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS, httpAgent: agent, httpsAgent: agent },
  })
  return { library, client }
}

type Send = S3Client['send']

const noAnswer = (cause: unknown) =>
  Object.assign(new Error(`no answer within ${ANSWER_MS / SECOND_MS} s`, { cause }), { code: 'ETIMEDOUT' })

type Call = <Answer>(make: (library: Library, send: Send) => Promise<Answer>, pool?: Pool) => Promise<Answer>

/** Calls of a server. What goes wrong there is logged at most once a minute, and thrown as `Unavailable` or `StorageFull`. */
export interface S3Calls {
  /** Makes a call, which must be answered in time; a body may then come as slowly as it is read. */
  call: Call
  /** What an error of the server is for those who asked. */
  asUnavailable(error: unknown): unknown
  /** Ends the calls, and the bodies that come. */
  signal: AbortSignal | undefined
  /** The same calls, which end once the signal is aborted, and reject with its reason. */
  until(signal: AbortSignal): S3Calls
}

export function createS3Calls(place: S3Place, clock: Clock, log?: StorageLog): S3Calls {
  const outage = createOutage(clock, log, { message: `the store of media s3://${place.bucket} cannot be used` })
  const clients = { work: lazy(() => load(place, 'work')), clients: lazy(() => load(place, 'clients')) }

  const callsUntil = (signal?: AbortSignal): S3Calls => {
    const asUnavailable = (error: unknown): unknown => {
      if (signal?.aborted) return signal.reason
      if (isNoSuchObject(error) || isBeyondEnd(error)) return error
      const { code = nameOf(error), message } = error as NodeJS.ErrnoException
      outage.report({ code, message })
      return FULL.has(nameOf(error)) ? new StorageFull({ cause: error }) : new Unavailable(AWAY, { cause: error })
    }

    const call: Call = async (make, pool = 'work') => {
      signal?.throwIfAborted()
      const { library, client } = await clients[pool]()
      const late = new AbortController()
      const timer = clock.after(ANSWER_MS, () => late.abort())
      const abortSignal = signal ? AbortSignal.any([late.signal, signal]) : late.signal
      const send = ((command: Parameters<Send>[0]) => client.send(command, { abortSignal })) as Send
      try {
        return await make(library, send)
      } catch (error) {
        throw asUnavailable(late.signal.aborted ? noAnswer(error) : error)
      } finally {
        timer.cancel()
      }
    }

    return { call, asUnavailable, signal, until: callsUntil }
  }

  return callsUntil()
}
