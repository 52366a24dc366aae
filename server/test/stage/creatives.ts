import { adsSeed } from './ads.ts'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import type { Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'
import { adas } from './signed-calls.ts'

/** Sends a JSON body to the advertising host in the name of a user, by default Ada. */
export function sendJson(
  stage: Stage,
  method: string,
  path: string,
  body: unknown,
  credentials: SigningCredentials = adas,
): Promise<Answer> {
  const url = stage.publicOrigins.ads_base_url + path
  return call(stage.origins.ads_base_url + path, method, {
    headers: {
      authorization: authorization({ ...credentials, method, url, nowMs: stage.clock.now() }),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
}

/** Media of Ada's, by what they are for; with the numbers that tests compare. */
export const IMAGE = '3_1136048014974423040'
export const WIDE_IMAGE = '3_1136048014974423041'
export const SMALL_IMAGE = '3_1136048014974423042'
export const TALL_IMAGE = '3_1136048014974423043'
export const GIF = '16_1136048014974423044'
export const VIDEO = '7_1136048014974423045'
export const AMPLIFY = '13_1136048014974423046'
export const SQUARE_VIDEO = '13_1136048014974423047'
export const LONG_VIDEO = '13_1136048014974423048'
export const TALL_VIDEO = '13_1136048014974423049'
/** An image of Grace's. */
export const GRACES = '3_1136048014974423050'
/** Media of a category that there is none of. */
export const PLAIN = '5_1136048014974423051'

const cdn = (path: string) => `https://media.example/${path}`

const image = (media_key: string, width: number, height: number) => ({
  media_key,
  type: 'photo',
  owner_user_id: ada.id,
  width,
  height,
  url: cdn(`${media_key}.png`),
})

const video = (media_key: string, width: number, height: number, duration_ms: number) => ({
  media_key,
  type: 'video',
  owner_user_id: ada.id,
  width,
  height,
  duration_ms,
  preview_image_url: cdn(`${media_key}.jpg`),
  variants: [
    { content_type: 'application/x-mpegURL', url: cdn(`${media_key}.m3u8`) },
    { content_type: 'video/mp4', bit_rate: 256_000, url: cdn(`${media_key}-small.mp4`) },
    { content_type: 'video/mp4', bit_rate: 2_176_000, url: cdn(`${media_key}.mp4`) },
  ],
})

export const media = [
  image(IMAGE, 800, 800),
  image(WIDE_IMAGE, 1200, 628),
  image(SMALL_IMAGE, 799, 418),
  image(TALL_IMAGE, 800, 1200),
  { ...video(GIF, 480, 480, 0), type: 'animated_gif' },
  video(VIDEO, 1280, 720, 8000),
  video(AMPLIFY, 1920, 1080, 15_000),
  video(SQUARE_VIDEO, 720, 720, 600_000),
  video(LONG_VIDEO, 1280, 720, 600_001),
  video(TALL_VIDEO, 720, 1280, 8000),
  { ...image(GRACES, 800, 800), owner_user_id: grace.id },
  image(PLAIN, 800, 800),
]

/** All of Ada's media that a library can have. */
const libraryKeys = [IMAGE, WIDE_IMAGE, SMALL_IMAGE, TALL_IMAGE, GIF, VIDEO, AMPLIFY, SQUARE_VIDEO, LONG_VIDEO, TALL_VIDEO]

/** Media, none of it in a library. */
export const mediaSeed = { ...adsSeed, media } as typeof adsSeed

/** Media in the library of the account, which has these features. */
export const creativeSeed = (features: readonly string[] = [], more: object = {}) =>
  ({
    ...mediaSeed,
    accounts: adsSeed.accounts?.map((account) => ({
      ...account,
      features,
      media_library: libraryKeys.map((media_key) => ({ media_key })),
      ...more,
    })),
  }) as typeof adsSeed

/** A seed in which `VIDEO` has neither addresses nor a poster, a size or a duration. */
export const withBareVideo = (seed: typeof adsSeed) =>
  ({
    ...seed,
    media: media.map((one) => (one.media_key === VIDEO ? { media_key: VIDEO, type: 'video', owner_user_id: ada.id } : one)),
  }) as typeof adsSeed
