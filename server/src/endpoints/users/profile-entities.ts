import { entitiesOf } from '../../lib/post-text/entities.ts'

/** The lists of entities of a text that are not empty; undefined if all are. */
function listsIn(text: string) {
  const found = Object.entries(entitiesOf(text)).filter(([, list]) => list.length > 0)
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

/** The entities of a profile as answers show them: of its URL and of its description. Null if there are none. */
export function profileEntitiesJson({ url, description }: { url: string; description: string }): string | null {
  const found = Object.entries({ url: listsIn(url), description: listsIn(description) }).filter(([, lists]) => lists !== undefined)
  return found.length > 0 ? JSON.stringify(Object.fromEntries(found)) : null
}
