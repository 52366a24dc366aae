import { type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { processorOf, type Rate } from '../interleave.ts'
import { ACCOUNTS, IN_FLIGHT, measureAccounts, PATH } from '../lists/measure-accounts.ts'
import { FEW_ROWS, measurePages, PAGE_ROWS } from '../lists/measure-pages.ts'
import { inWords } from '../numbers.ts'
import type { Run } from '../run.ts'

const MOST_RATIO = 1.2

async function accountsLine(flavour: Flavour, run: Run): Promise<Line> {
  const { postern, bare } = await measureAccounts(flavour, run)
  return {
    what: `Signed \`GET ${PATH}\`/s, ${ACCOUNTS} accounts, ${IN_FLIGHT} in flight, rate limits off, ${nameOf[flavour]}`,
    measured: postern.shown,
    limit: `${bare.shown} bare Fastify`,
    ratio: postern.perSecond / bare.perSecond,
    processor: processorOf(postern, bare),
    aim: '–',
  }
}

/** What a page takes, beside what another takes. */
function pageLine(what: string, measured: Rate, limit: Rate, limitIs: string): Line {
  const ratio = limit.perSecond / measured.perSecond
  const timeOf = ({ perSecond, shown }: Rate) => `${inWords(1_000_000 / perSecond)} µs, ${shown}/s`
  return {
    what,
    measured: timeOf(measured),
    limit: `${timeOf(limit)} ${limitIs}`,
    ratio,
    processor: processorOf(measured, limit),
    aim: `ratio < ${MOST_RATIO}`,
    isMet: ratio < MOST_RATIO,
  }
}

async function pageLines(flavour: Flavour, run: Run): Promise<Line[]> {
  const { short, first, deep, firstByName, deepByName } = await measurePages(flavour, run)
  const rows = inWords(run.pace.rows)
  const page = `a page of ${PAGE_ROWS} of ${rows} campaigns`
  return [
    pageLine(`Deep in the list, ${page}, newest first, ${nameOf[flavour]}`, deep, first, 'the first page'),
    pageLine(`Deep in the list, ${page}, by name, ${nameOf[flavour]}`, deepByName, firstByName, 'the first page'),
    pageLine(`The first page, ${page}, newest first, ${nameOf[flavour]}`, first, short, `of ${inWords(FEW_ROWS)}`),
  ]
}

export const lists: Figure = {
  name: 'lists',
  limit: `Signed calls of the advertising API, each with a nonce of its own and signed before the look begins, rate limits off. The limit of the accounts is Fastify that answers the same bytes with the same headers and checks nothing. A deep page is one of the last thousand rows, reached by following the cursors; its limit is the first page of the same list, and that of the first page is the same page of a short list, in a database of its own. The client shares the cores with the server; processor time is the server's, PostgreSQL included.`,
  async measure(run) {
    const lines: Line[] = []
    for (const flavour of flavours) lines.push(await accountsLine(flavour, run))
    for (const flavour of flavours) lines.push(...(await pageLines(flavour, run)))
    return lines
  },
}
