import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { rawRows } from '../storage/samples.ts'
import { ACCOUNT, adsSeed } from './ads.ts'
import { demoApp, type Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'

/** The full promotable user of the account. */
export const brand = { id: '301', username: 'brand', name: 'Brand & Co' }
/** A member without a role for creatives, who has the permission to compose. */
export const composer = { id: '302', username: 'composer', name: 'Composer' }
/** A user who has nothing to do with the account. */
export const stranger = { id: '303', username: 'stranger', name: 'Stranger' }

const tokenOf = ({ id }: { id: string }) => ({ oauth_token: `${id}-token`, oauth_token_secret: `secret of ${id}` })

const keys = { consumer_key: demoApp.consumer_key, consumer_secret: demoApp.consumer_secret }

export const composers = { ...keys, ...tokenOf(composer) }
export const brands = { ...keys, ...tokenOf(brand) }

/** The account of `adsSeed`: Ada is its administrator, Grace an analyst, the composer may post as the brand. */
export const postsSeed = {
  ...adsSeed,
  users: [...(adsSeed.users ?? []), brand, composer, stranger],
  tokens: [
    ...(adsSeed.tokens ?? []),
    ...[composer, brand].map((user) => ({ consumer_key: demoApp.consumer_key, user_id: user.id, ...tokenOf(user) })),
  ],
  accounts: adsSeed.accounts?.map((account) => ({
    ...account,
    members: [
      { user_id: ada.id, role: 'ACCOUNT_ADMIN' },
      { user_id: grace.id, role: 'ANALYST' },
      { user_id: composer.id, role: 'ANALYST', permissions: ['TWEET_COMPOSER'] },
    ],
    promotable_users: [{ id: 'pu1', user_id: brand.id, promotable_user_type: 'FULL' }],
  })),
} as object as SeedDocument

export const POST = `/12/accounts/${ACCOUNT}/post`
export const POSTS = `/12/accounts/${ACCOUNT}/posts`
export const SCHEDULED = `/12/accounts/${ACCOUNT}/scheduled_posts`

/** Another account, whose administrator is Grace: the brand is its promotable user, of this type. */
export const OTHER_ACCOUNT = 'acc2'
export const withOtherAccount = (promotable_user_type: 'FULL' | 'RETWEETS_ONLY') =>
  ({
    ...postsSeed,
    accounts: [
      ...(postsSeed.accounts ?? []),
      {
        id: OTHER_ACCOUNT,
        name: 'Other',
        members: [{ user_id: grace.id, role: 'ACCOUNT_ADMIN' }],
        promotable_users: [{ id: 'pu2', user_id: brand.id, promotable_user_type }],
      },
    ],
  }) as object as SeedDocument

/** The same path in the other account. */
export const inOtherAccount = (path: string) => path.replace(ACCOUNT, OTHER_ACCOUNT)

/** Five images, a GIF and two videos of Ada's, and an image of the stranger's. */
export const addMedia = (stage: Stage) =>
  rawRows(
    stage.databaseUrl,
    `insert into media (media_key, owner_id, type, category, url, preview_image_url, created_at_ms, view_count) values ${[
      ...[1, 2, 3, 4, 5].map(
        (place) => `('3_${place}', '${ada.id}', 'photo', 'TWEET_IMAGE', 'https://media.example/${place}.png', null, 0, 0)`,
      ),
      `('16_6', '${ada.id}', 'animated_gif', 'TWEET_GIF', null, 'https://media.example/6.png', 0, 0)`,
      `('7_7', '${ada.id}', 'video', 'TWEET_VIDEO', null, 'https://media.example/7.png', 0, 0)`,
      `('13_8', '${ada.id}', 'video', 'AMPLIFY_VIDEO', null, 'https://media.example/8.png', 0, 0)`,
      `('3_9', '${stranger.id}', 'photo', 'TWEET_IMAGE', 'https://media.example/9.png', null, 0, 0)`,
    ].join()}`,
  )
