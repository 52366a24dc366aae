import { appOrUser } from '../../access/app-or-user.ts'
import { defaulting, integer, oneOf, text } from '../../api/declare/words.ts'
import { wordsOf } from '../../lib/post-text/words.ts'
import type { Content } from '../../storage/content.ts'
import { spaces } from '../../storage/content-tables.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { READS_SPACES, spaceKinds } from './space-kinds.ts'

/** How many live and scheduled spaces are searched, the newest: what one search costs is bounded. */
const MOST_SEARCHED = 1000

const tokensOf = (title: string) => wordsOf(title).map(({ text }) => text)

/** The spaces in these states whose titles have all words of the query, newest first. */
async function spacesWith(content: Content, query: string, states: readonly string[]): Promise<string[]> {
  const found = await content.items({ of: 'spaces', states }, { limit: MOST_SEARCHED })
  const keys = found.map(({ key }) => key)
  const rows = await content.rows(spaces, ['id', 'title'], keys)
  const titles = new Map(rows.map(([id, title]) => [id as string, new Set(tokensOf(title as string))]))
  const words = tokensOf(query)
  return words.length === 0 ? [] : keys.filter((key) => words.every((word) => titles.get(key)?.has(word)))
}

export const searchSpaces = objectEndpoint(spaceKinds, {
  name: 'searchSpaces',
  route: 'GET /2/spaces/search',
  section: '§2.9',
  summary: 'Search live and scheduled spaces by the words of their titles, newest first.',
  description: `A space is found whose title has all words of \`query\`, in whichever case. The newest ${MOST_SEARCHED} spaces are searched.`,
  auth: appOrUser,
  scopes: READS_SPACES,
  rateLimit: 300,
  params: {
    query: text({ max: 2048, example: 'astronomy' }),
    state: defaulting(oneOf(['live', 'scheduled', 'all']), 'all'),
    max_results: defaulting(integer({ min: 1, max: 100 }), 100),
  },
  isList: true,
  isPaged: true,
  async asked({ params: { query, state, max_results } }, { content }) {
    const found = await spacesWith(content, query, state === 'all' ? ['live', 'scheduled'] : [state])
    return { values: found.slice(0, max_results), isList: true, meta: ({ length }) => ({ result_count: length }) }
  },
})
