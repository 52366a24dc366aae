import { isRealMoment } from '../../../../lib/time.ts'

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)$/

/** Milliseconds since 1970 of an ISO 8601 time with an offset; undefined if it is none. */
function momentMs(text: string): number | undefined {
  const [, time, offset] = MOMENT.exec(text) ?? []
  if (time === undefined) return undefined
  const plain = time + offset!.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  return isRealMoment(plain) ? Date.parse(plain) : undefined
}

/** Two times separated by `/`; undefined if the text has another form. */
export function parseInterval(text: string): { startMs: number; endMs: number } | undefined {
  const [start, end, ...more] = text.split('/').map(momentMs)
  return start === undefined || end === undefined || more.length > 0 ? undefined : { startMs: start, endMs: end }
}
