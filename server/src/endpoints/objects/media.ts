import { anyObject, integer, listOf, oneOf, text } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { media } from '../../storage/content-tables.ts'

const { stored, counts, rare } = fieldsOf(media)

export const mediaTypes = ['animated_gif', 'photo', 'video'] as const

/** Media of posts and messages (§2.9). */
export const Media = dataObject({
  kind: 'media',
  plural: 'media',
  title: 'media',
  schemaName: 'Media',
  resourceType: 'media',
  table: media,
  owner: 'owner_id',
  fields: {
    media_key: stored('media_key', text({ example: '3_1136048014974423040' }), { isDefault: true }),
    type: stored('type', oneOf(mediaTypes), { isDefault: true }),
    alt_text: stored('alt_text', text()),
    duration_ms: stored('duration_ms', integer({ min: 0 })),
    height: stored('height', integer({ min: 0 })),
    non_public_metrics: { ...rare('non_public_metrics', anyObject()), only: 'owner' },
    organic_metrics: { ...rare('organic_metrics', anyObject()), only: 'owner' },
    preview_image_url: stored('preview_image_url', text()),
    promoted_metrics: { ...rare('promoted_metrics', anyObject()), only: 'owner' },
    public_metrics: counts({ view_count: 'view_count' }),
    url: stored('url', text()),
    variants: stored('variants', listOf(anyObject())),
    width: stored('width', integer({ min: 0 })),
  },
})
