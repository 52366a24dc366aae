/** Decodes the requests of OTLP by the numbers of their fields (opentelemetry-proto, `collector/…/v1/*_service.proto`). */

interface Field {
  number: number
  /** A varint, eight bytes, four bytes, or those of what has a length. */
  bytes: Buffer
  value: bigint
}

function* fieldsOf(buffer: Buffer): Generator<Field> {
  let place = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer[place++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    place += length
    return buffer.subarray(place - length, place)
  }
  while (place < buffer.length) {
    const key = Number(varint())
    const number = key >> 3
    const wire = key & 7
    if (wire === 0) yield { number, value: varint(), bytes: Buffer.alloc(0) }
    else {
      const bytes = take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
      yield { number, bytes, value: wire === 1 ? bytes.readBigUInt64LE() : 0n }
    }
  }
}

const all = (buffer: Buffer, number: number) => [...fieldsOf(buffer)].filter((field) => field.number === number)
const messages = (buffer: Buffer, number: number) => all(buffer, number).map(({ bytes }) => bytes)
const one = (buffer: Buffer, number: number): Buffer => messages(buffer, number)[0] ?? Buffer.alloc(0)
const text = (buffer: Buffer, number: number) => one(buffer, number).toString()
const whole = (buffer: Buffer, number: number) => all(buffer, number)[0]?.value ?? 0n

type Value = string | number | boolean

function anyOf(any: Buffer): Value {
  const [field] = fieldsOf(any)
  if (field?.number === 1) return field.bytes.toString()
  if (field?.number === 2) return field.value === 1n
  return field?.number === 3 ? Number(field.value) : field!.bytes.readDoubleLE()
}

export type Attributes = Record<string, Value>

const attributesOf = (buffer: Buffer, number: number): Attributes =>
  Object.fromEntries(messages(buffer, number).map((pair) => [text(pair, 1), anyOf(one(pair, 2))]))

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

export interface CollectedSpan {
  traceId: string
  spanId: string
  /** Empty for one without a parent. */
  parentId: string
  name: string
  kind: string
  attributes: Attributes
  startMs: number
  endMs: number
  /** Why it has failed; undefined where it has not. */
  failed: string | undefined
  /** Of the process. */
  resource: Attributes
}

const msOf = (nanoseconds: bigint) => Number(nanoseconds / 1000n) / 1000

const spanOf = (span: Buffer, resource: Attributes): CollectedSpan => ({
  traceId: one(span, 1).toString('hex'),
  spanId: one(span, 2).toString('hex'),
  parentId: one(span, 4).toString('hex'),
  name: text(span, 5),
  kind: KINDS[Number(whole(span, 6))]!,
  startMs: msOf(whole(span, 7)),
  endMs: msOf(whole(span, 8)),
  attributes: attributesOf(span, 9),
  failed: whole(one(span, 15), 3) === 2n ? text(one(span, 15), 2) : undefined,
  resource,
})

/** The spans of a request. */
export const spansOf = (request: Buffer): CollectedSpan[] =>
  messages(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(one(ofResource, 1), 1)
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((span) => spanOf(span, resource)))
  })

export interface CollectedMetric {
  name: string
  description: string
  type: 'gauge' | 'sum' | 'histogram'
  isMonotonic: boolean
  points: { attributes: Attributes; value: number | CollectedHistogram }[]
  resource: Attributes
}

export interface CollectedHistogram {
  count: number
  sum: number
  bounds: number[]
  counts: number[]
}

const eights = (buffer: Buffer) => Array.from({ length: buffer.length / 8 }, (_, place) => buffer.subarray(place * 8, place * 8 + 8))

const doubleOf = (buffer: Buffer, number: number) => (one(buffer, number).length === 8 ? one(buffer, number).readDoubleLE() : 0)

const histogramOf = (point: Buffer) => ({
  attributes: attributesOf(point, 9),
  value: {
    count: Number(whole(point, 4)),
    sum: doubleOf(point, 5),
    counts: eights(one(point, 6)).map((bytes) => Number(bytes.readBigUInt64LE())),
    bounds: eights(one(point, 7)).map((bytes) => bytes.readDoubleLE()),
  },
})

const numberOf = (point: Buffer) => ({ attributes: attributesOf(point, 7), value: doubleOf(point, 4) })

function metricOf(metric: Buffer, resource: Attributes): CollectedMetric {
  const about = { name: text(metric, 1), description: text(metric, 2), resource, isMonotonic: whole(one(metric, 7), 3) === 1n }
  const [gauges, sums, histograms] = [5, 7, 9].map((number) => messages(metric, number)) as [Buffer[], Buffer[], Buffer[]]
  if (histograms[0]) return { ...about, type: 'histogram', points: messages(histograms[0], 1).map(histogramOf) }
  const numbers = (gauges[0] ?? sums[0])!
  return { ...about, type: gauges[0] ? 'gauge' : 'sum', points: messages(numbers, 1).map(numberOf) }
}

/** The metrics of a request. */
export const metricsOf = (request: Buffer): CollectedMetric[] =>
  messages(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(one(ofResource, 1), 1)
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((metric) => metricOf(metric, resource)))
  })
