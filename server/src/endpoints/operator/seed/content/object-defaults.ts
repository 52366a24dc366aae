import { MINUTE_MS } from '../../../../lib/time.ts'
import { categoryOfKey } from '../../../media/categories.ts'
import { entitiesJson } from '../../../posts/new-post.ts'
import type { ObjectKind } from '../content-words.ts'
import type { Defaults } from './add-objects.ts'
import { createdAtOf } from './content-ids.ts'

const DAY_MINUTES = 1440

const createdAt: Defaults = ({ key, values }, nowMs) => ({ created_at_ms: createdAtOf(key, values.created_at_ms, nowMs) })

/** What is stored of objects whose seed does not say it. Posts have more that follows from others. */
export const objectDefaults: Record<Exclude<ObjectKind, 'posts' | 'direct_messages'>, Defaults> = {
  topics: () => ({ description: '' }),
  places: ({ values }) => ({ name: values.full_name, country: '', country_code: '', place_type: '' }),
  media: ({ key }, nowMs) => ({ created_at_ms: nowMs, view_count: 0, category: categoryOfKey(key) }),
  polls({ seed: { created_at }, values }, nowMs) {
    const minutes = (values.duration_minutes as number | undefined) ?? DAY_MINUTES
    const from = typeof created_at === 'string' ? Date.parse(created_at) : nowMs
    return { duration_minutes: minutes, end_ms: from + minutes * MINUTE_MS }
  },
  lists: (list, nowMs) => ({ ...createdAt(list, nowMs), description: '', private: false, member_count: 0, follower_count: 0 }),
  spaces({ values }, nowMs) {
    const createdAtMs = values.created_at_ms ?? nowMs
    return {
      title: '',
      lang: '',
      is_ticketed: false,
      created_at_ms: createdAtMs,
      updated_at_ms: createdAtMs,
      participant_count: 0,
      subscriber_count: 0,
      host_ids: [values.creator_id],
    }
  },
}

/** The same of direct messages: with the ids of those who are mentioned. */
export const messageDefaults =
  (mentioned: ReadonlyMap<string, string>): Defaults =>
  (message, nowMs) => {
    const { text } = message.values
    const entities = typeof text === 'string' ? entitiesJson(text, mentioned) : null
    return { ...createdAt(message, nowMs), event_type: 'MessageCreate', entities: entities && JSON.parse(entities) }
  }
