import { Transform } from 'node:stream'
import { linksTo, startsLink } from '../client/links.cjs'

/** How long the beginning of a link waits for its rest: a prompt may end like one. */
const WAIT_MS = 50

/** Leads sign-in links in the output of a program to Postern. Bytes stay as they are; only what may be the beginning of a link waits. */
export function linkFilter(pages: string): Transform {
  const replace = linksTo(pages)
  let held = ''
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    if (held !== '') filter.push(Buffer.from(replace(held), 'latin1'))
    held = ''
  }
  const filter = new Transform({
    transform(chunk: Buffer, _, done) {
      clearTimeout(timer)
      const text = held + chunk.toString('latin1')
      const from = startsLink(text)
      held = text.slice(from)
      if (held !== '') timer = setTimeout(release, WAIT_MS)
      done(null, Buffer.from(replace(text.slice(0, from)), 'latin1'))
    },
    flush(done) {
      clearTimeout(timer)
      release()
      done()
    },
  })
  return filter
}
