import { hash } from 'node:crypto'

/** A span as W3C Trace Context names it: 32 and 16 hexadecimal digits. */
export interface SpanName {
  traceId: string
  spanId: string
  isSampled: boolean
}

/** Later versions may have more behind the flags. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent`; undefined if it is none. */
export function readTraceparent(text: string): SpanName | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}

export const writeTraceparent = ({ traceId, spanId, isSampled }: SpanName): string => `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** The trace of a `traceparent` that `writeTraceparent` has made. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

/** The id of the span of a delivery, which every process that attempts it finds alike. */
export const deliverySpanId = (traceparent: string, sequence: number, webhookId: string): string =>
  hash('sha256', `${traceparent} ${sequence} ${webhookId}`).slice(0, 16)
