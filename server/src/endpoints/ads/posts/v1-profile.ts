import { v1UserOf } from '../../users/v1-user.ts'

const orNull = (text: unknown) => (text === '' || text === undefined ? null : (text as string | null))

/** A user with the profile, as `/1.1/` and the advertising API answer it. */
export const v1ProfileOf = (user: Readonly<Record<string, unknown>>) => ({
  ...v1UserOf({
    id: user.id as string,
    name: user.name as string,
    username: user.username as string,
    createdAtMs: user.created_at_ms as number,
  }),
  description: user.description as string,
  location: user.location as string,
  url: orNull(user.url),
  protected: Boolean(user.protected),
  verified: Boolean(user.verified),
  profile_image_url_https: orNull(user.profile_image_url),
  profile_banner_url: orNull(user.profile_banner_url),
  followers_count: user.followers_count as number,
  friends_count: user.following_count as number,
  listed_count: user.listed_count as number,
  favourites_count: user.like_count as number,
  statuses_count: user.post_count as number,
})
