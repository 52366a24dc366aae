import type { OperatorServices } from '../../access/operator.ts'
import { html } from '../../api/answer/html.ts'
import { serializePage } from '../../api/answer/page.ts'
import { areas } from '../../api/areas.ts'
import { headerOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'
import { page } from '../../api/http/pages.ts'
import type { Route } from '../../api/http/route.ts'
import { describeOffset } from '../clock/clock-offset.ts'
import { isShownToSender } from '../explain/shown-to.ts'
import type { Given } from '../given.ts'
import { OPERATOR_TOKEN_FILE, readKeys } from './keys.ts'
import { type Runs, startPage } from './start-page.ts'

/** A database without the password in its URL. */
function describeDatabase(url: string): string {
  if (url === 'sqlite::memory:') return 'SQLite, in memory: gone when the process ends'
  if (url.startsWith('sqlite:')) return `SQLite, in ${url.slice('sqlite:'.length)}`
  const { hostname, port, pathname } = new URL(url)
  return `PostgreSQL, ${hostname}${port && `:${port}`}${pathname}`
}

function describeToken({ settings: { operatorToken, operatorTokens } }: Given) {
  if (operatorToken ?? operatorTokens)
    return html`as it was set in <code>POSTERN_OPERATOR_TOKEN</code> or <code>POSTERN_OPERATOR_TOKENS</code>.`
  return html`in the file <code>${OPERATOR_TOKEN_FILE}</code> of the folder where Postern was started, unless whoever started it gave one.`
}

/** What everybody is told: what runs where. */
function runsOf({ settings, clock, dialect, listening: { origins } }: Given): Runs {
  return {
    origins,
    database: describeDatabase(settings.databaseUrl),
    dialect: dialect.name,
    clock: describeOffset(clock.offset()) ?? `the real time, ${new Date(clock.now()).toISOString()}`,
  }
}

const isBrowser = (request: RawRequest) => /\btext\/html\b/i.test(headerOf(request, 'accept') ?? '')

/** Where the console is: below the same path, or at the operator port. */
const consoleOf = ({ base_url, operator_url }: Runs['origins']) => (operator_url === base_url ? 'console/' : `${operator_url}/console/`)

const redirect = (location: string): RawAnswer => ({ status: 302, headers: { ...areas.pages.headers, location, vary: 'accept' }, body: '' })

/**
 * `GET /`. It leads a browser to the console. Where that cannot be built, and for programs, it says itself what runs where, which whoever can
 * reach the port may read. Keys and people are for whom explanations are shown to.
 */
export const startPageRoute = (given: Given, services: OperatorServices, hasConsole: () => Promise<boolean>): Route =>
  page(
    '/',
    async (request) => {
      if (isBrowser(request) && (await hasConsole())) return redirect(consoleOf(given.listening.origins))
      const told = (await isShownToSender(request, services))
        ? { ...(await readKeys(given)), operatorToken: describeToken(given) }
        : undefined
      const answer = serializePage(startPage(runsOf(given), told), areas.pages.headers)
      return { ...answer, headers: { ...answer.headers, vary: 'accept' } }
    },
    areas.pages,
  )
