import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, defaulting, oneOf } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Outbox } from '../../../delivery/outbox.ts'
import { adsPostSchema, postModes, presentPost } from './ads-post.ts'
import { loadPosts } from './load-posts.ts'
import { type AdsPostContent, assertUsable, type MakeServices, prepareAdsPost, storeAdsPost } from './make-post.ts'
import { asUserId, CONVERSATION_SETTINGS, contentParams, contentRules, conversationSettings } from './post-params.ts'
import { assertMayPostAs } from './promotable-users.ts'
import { videoOf } from './video.ts'

export const createAdsPost = adsEndpoint({
  name: 'createAdsPost',
  route: 'POST /12/accounts/:account_id/post',
  section: '§4.7',
  summary: 'Create a post.',
  description:
    'The post is the same that the general API reads. One for promotion only is found by its id, but by no list, search or keyword, and is not ' +
    'announced by `post.create`. The same text by the same author within 24 hours is a duplicate, also where it is for promotion only. The answer ' +
    'has `text` in compat mode, cut to 140 characters with `truncated`, and `full_text` in extended mode.',
  auth: accountMember({ changes: 'posts' }),
  params: {
    account_id: adsId(),
    as_user_id: asUserId,
    ...contentParams,
    conversation_settings: defaulting(conversationSettings, 'EVERYONE'),
    trim_user: defaulting(boolean(), false),
    post_mode: defaulting(oneOf(postModes), 'compat'),
  },
  rules: contentRules,
  data: adsPostSchema,
  async handle({ params: sent, caller }, services: MakeServices & { outbox: Outbox }) {
    const { as_user_id: authorId, nullcast, trim_user: trimUser, post_mode: mode } = sent
    await assertMayPostAs(caller, authorId, nullcast, services)
    const given: AdsPostContent = {
      accountId: caller.accountId,
      authorId,
      text: sent.text ?? '',
      name: sent.name ?? null,
      cardUri: sent.card_uri,
      mediaKeys: sent.media_keys ?? [],
      video: videoOf(sent),
      nullcast,
      source: caller.app.name,
      replySettings: CONVERSATION_SETTINGS[sent.conversation_settings],
    }
    await assertUsable(given, caller.user.id, services)
    const made = await prepareAdsPost(given, services)
    await services.outbox.change(made.events, (transaction, announce) => storeAdsPost(transaction, announce, made))
    const [stored] = await loadPosts(services.content, [made.post.id], caller.accountId)
    return { data: presentPost(stored!, { trimUser, mode, isNew: true }) }
  },
})
