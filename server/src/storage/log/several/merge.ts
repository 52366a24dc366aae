import type { ContentSearch, ContentSlice, DeliveryPage, DeliveryQuery, DeliveryReport } from '../../event-log.ts'

interface Sequenced {
  sequence: number
  content: Buffer
}

interface Pages<Row> {
  after: number
  limit: number
  /** A page ends with the row whose content reaches so many bytes. */
  bytes: number
  /** The next rows of one log after a sequence number, oldest first; none if there are no more. */
  read: ((after: number, limit: number) => Promise<Row[]>)[]
}

const bySequence = (one: { sequence: number }, other: { sequence: number }) => one.sequence - other.sequence

/** A page of the rows of several logs, oldest first. It is full, unless there are no more. */
export async function mergePages<Row extends Sequenced>({ after, limit, bytes, read }: Pages<Row>): Promise<Row[]> {
  if (read.length === 1) return read[0]!(after, limit)
  const page: Row[] = []
  let size = 0
  for (let from = after; ; ) {
    const pages = (await Promise.all(read.map((readOne) => readOne(from, limit)))).filter((rows) => rows.length > 0)
    if (pages.length === 0) return page
    // What a log has behind the end of its page is newer than this.
    const upTo = Math.min(...pages.map((rows) => rows.at(-1)!.sequence))
    for (const row of pages.flat().sort(bySequence)) {
      if (row.sequence > upTo) break
      page.push(row)
      size += row.content.length
      if (page.length === limit || size >= bytes) return page
    }
    from = upTo
  }
}

const newestFirst = (one: DeliveryReport, other: DeliveryReport) =>
  other.sequence - one.sequence || (one.webhookId < other.webhookId ? -1 : 1)

/** The first reports, and the rest of the last event: it is never split. */
function firstOf(reports: readonly DeliveryReport[], limit: number): DeliveryReport[] {
  const last = reports[limit - 1]
  return last ? reports.filter(({ sequence }, place) => place < limit || sequence === last.sequence) : [...reports]
}

/** The reports of several logs, newest first. */
export const mergeReports = (reports: readonly DeliveryReport[], { limit }: DeliveryQuery): DeliveryReport[] =>
  firstOf(reports.toSorted(newestFirst), limit)

/** A page of the reports of several logs, from the pages that begin at the same sequence number. */
export function mergeReportPages(pages: readonly DeliveryPage[], { limit }: DeliveryQuery): DeliveryPage {
  // Below this a log may have more.
  const from = Math.max(...pages.map(({ next }) => next ?? 0))
  const known = pages.flatMap(({ reports }) => reports.filter(({ sequence }) => sequence >= from)).sort(newestFirst)
  const reports = firstOf(known, limit)
  if (reports.length < known.length || reports.length >= limit) return { reports, next: reports.at(-1)!.sequence }
  return { reports, next: from === 0 ? null : from }
}

/** The next slice of a search in several logs. An event is in every log that has a match. */
export function mergeSlices(slices: readonly ContentSlice[], { limit }: ContentSearch): ContentSlice {
  const from = Math.max(...slices.map(({ last }) => last ?? 0))
  const events = new Map(slices.flatMap(({ found }) => found).map((event) => [event.sequence, event]))
  const found = [...events.values()].filter(({ sequence }) => sequence >= from).sort((one, other) => other.sequence - one.sequence)
  if (found.length >= limit) return { found: found.slice(0, limit), last: found[limit - 1]!.sequence }
  return { found, last: from === 0 ? null : from }
}
