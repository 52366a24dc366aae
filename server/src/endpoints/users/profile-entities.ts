import { type Entities, entitiesOf } from '../../lib/post-text/entities.ts'

const found = (entities: Entities) => Object.fromEntries(Object.entries(entities).filter(([, list]) => list.length > 0))

/** The entities of a profile as answers show them: of its address, and of its description. Null without any. */
export function profileEntities({ url, description }: { url?: unknown; description?: unknown }): object | null {
  const ofUrl = typeof url === 'string' && url !== '' ? entitiesOf(url).urls : []
  const ofDescription = typeof description === 'string' ? found(entitiesOf(description)) : {}
  const entities = {
    ...(ofUrl.length > 0 && { url: { urls: ofUrl } }),
    ...(Object.keys(ofDescription).length > 0 && { description: ofDescription }),
  }
  return Object.keys(entities).length > 0 ? entities : null
}
