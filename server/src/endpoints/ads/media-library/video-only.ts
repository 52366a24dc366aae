import type { Rule } from '../../../api/declare/rules.ts'
import { typeOfKey } from '../media/media-key.ts'

/** The parameters that are for videos alone (§4.7). */
const videoParams = ['title', 'description', 'poster_media_key'] as const

/** A rule for each of them, over the parameters of a request and over a record. */
export const videoOnlyRules: readonly Rule[] = videoParams.map((name) => ({
  message: `\`${name}\` is for videos only`,
  parameters: [name, 'media_key'],
  code: 'INVALID_PARAMETER',
  holds: (params) => (params[name] ?? null) === null || typeOfKey(String(params.media_key)) === 'VIDEO',
}))
