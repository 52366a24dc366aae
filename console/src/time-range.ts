import { place, setQuery } from './router.tsx'

/** A stretch of time in milliseconds since 1970, to its end exclusive. */
export interface Range {
  fromMs: number
  toMs: number
}

const SECONDS = 19

/** `2026-11-24T10:05:30Z`, as the address has it. */
export const isoSeconds = (ms: number) => `${new Date(ms).toISOString().slice(0, SECONDS)}Z`

/** The range in the address; undefined without one, and for one that is none. */
export function chosenRange(): Range | undefined {
  const [fromMs, toMs] = ['from', 'to'].map((name) => Date.parse(place.value.query.get(name) ?? ''))
  return fromMs! < toMs! ? { fromMs: fromMs!, toMs: toMs! } : undefined
}

export const chooseRange = (range: Range | undefined) =>
  setQuery({ from: range && isoSeconds(range.fromMs), to: range && isoSeconds(range.toMs) })
