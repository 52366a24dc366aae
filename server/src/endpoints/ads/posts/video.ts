import { VIDEO_PARAMS } from './post-params.ts'

/** What was sent of a video, by parameter. */
export const videoOf = (sent: object): Record<string, string> =>
  Object.fromEntries(
    VIDEO_PARAMS.flatMap((name) => {
      const value = (sent as Record<string, unknown>)[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
