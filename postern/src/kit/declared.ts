// Printed by `npm run docs` from the declarations of endpoints and event types.
// biome-ignore-all lint/suspicious/noExplicitAny: members that are not declared further

/** The event types, by their names. */
export type EventTypeName =
  | 'profile.update.bio'
  | 'profile.update.profile_picture'
  | 'profile.update.banner_picture'
  | 'profile.update.screenname'
  | 'profile.update.geo'
  | 'profile.update.url'
  | 'profile.update.verified'
  | 'profile.update.affiliate'
  | 'profile.update.handle'
  | 'news.new'
  | 'follow.follow'
  | 'follow.unfollow'
  | 'spaces.start'
  | 'spaces.end'
  | 'broadcast.start'
  | 'broadcast.end'
  | 'broadcast.chat'
  | 'dm.received'
  | 'dm.sent'
  | 'dm.read'
  | 'dm.indicate_typing'
  | 'chat.received'
  | 'chat.sent'
  | 'chat.conversation_join'
  | 'chat.conversation.member_added'
  | 'chat.conversation.member_removed'
  | 'chat.conversation.admin_added'
  | 'chat.conversation.admin_removed'
  | 'chat.update.group_name'
  | 'chat.update.restrictions'
  | 'post.create'
  | 'post.delete'
  | 'post.mention.create'
  | 'post.reply.create'
  | 'post.quote.create'
  | 'post.repost.create'
  | 'like.create'
  | 'mute.mute'
  | 'mute.unmute'
  | 'block.block'
  | 'block.unblock'
  | 'oauth.revoke'

/** Other names that are accepted. */
export type EventTypeAlias =
  | 'ProfileBioUpdate'
  | 'ProfilePictureUpdate'
  | 'ProfileBannerUpdate'
  | 'ProfileBannerPictureUpdate'
  | 'ProfileScreennameUpdate'
  | 'ProfileGeoUpdate'
  | 'ProfileUrlUpdate'
  | 'profile.update.verified_badge'
  | 'ProfileVerifiedBadgeUpdate'
  | 'profile.update.affiliate_badge'
  | 'ProfileAffiliateBadgeUpdate'
  | 'ProfileHandleUpdate'
  | 'NewsNew'
  | 'FollowFollow'
  | 'FollowUnfollow'
  | 'chat.conversation.join'

/** The calls of the public hosts, in the names of either dialect. */
export type Route =
  | 'DELETE /12/accounts/:account_id'
  | 'DELETE /12/accounts/:account_id/account_media/:account_media_id'
  | 'DELETE /12/accounts/:account_id/campaigns/:campaign_id'
  | 'DELETE /12/accounts/:account_id/cards/:card_id'
  | 'DELETE /12/accounts/:account_id/cards/image_conversation/:card_id'
  | 'DELETE /12/accounts/:account_id/cards/poll/:card_id'
  | 'DELETE /12/accounts/:account_id/cards/video_conversation/:card_id'
  | 'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id'
  | 'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions/:custom_audience_permission_id'
  | 'DELETE /12/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id'
  | 'DELETE /12/accounts/:account_id/features'
  | 'DELETE /12/accounts/:account_id/funding_instruments/:funding_instrument_id'
  | 'DELETE /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id'
  | 'DELETE /12/accounts/:account_id/line_items/:line_item_id'
  | 'DELETE /12/accounts/:account_id/media_library/:media_key'
  | 'DELETE /12/accounts/:account_id/promoted_posts/:promoted_post_id'
  | 'DELETE /12/accounts/:account_id/promoted_tweets/:promoted_post_id'
  | 'DELETE /12/accounts/:account_id/scheduled_posts/:scheduled_post_id'
  | 'DELETE /12/accounts/:account_id/scheduled_tweets/:scheduled_post_id'
  | 'DELETE /12/accounts/:account_id/targeting_criteria/:targeting_criterion_id'
  | 'DELETE /12/product_catalogs/:product_catalog_id'
  | 'DELETE /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id'
  | 'DELETE /12/product_catalogs/:product_catalog_id/products'
  | 'DELETE /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id'
  | 'DELETE /2/activity/subscriptions'
  | 'DELETE /2/activity/subscriptions/:subscription_id'
  | 'DELETE /2/dm_events/:event_id'
  | 'DELETE /2/lists/:id'
  | 'DELETE /2/lists/:id/members/:user_id'
  | 'DELETE /2/posts/:id'
  | 'DELETE /2/tweets/:id'
  | 'DELETE /2/users/:id/bookmarks/:post_id'
  | 'DELETE /2/users/:id/followed_lists/:list_id'
  | 'DELETE /2/users/:id/likes/:post_id'
  | 'DELETE /2/users/:id/pinned_lists/:list_id'
  | 'DELETE /2/users/:id/reposts/:source_post_id'
  | 'DELETE /2/users/:id/retweets/:source_post_id'
  | 'DELETE /2/users/:source_user_id/blocking/:target_user_id'
  | 'DELETE /2/users/:source_user_id/following/:target_user_id'
  | 'DELETE /2/users/:source_user_id/muting/:target_user_id'
  | 'DELETE /2/webhooks/:webhook_id'
  | 'DELETE /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions/:tailored_audience_permission_id'
  | 'GET /.well-known/oauth-authorization-server'
  | 'GET /1.1/account/verify_credentials'
  | 'GET /1.1/media/upload'
  | 'GET /12/accounts'
  | 'GET /12/accounts/:account_id'
  | 'GET /12/accounts/:account_id/account_apps'
  | 'GET /12/accounts/:account_id/account_history'
  | 'GET /12/accounts/:account_id/account_media'
  | 'GET /12/accounts/:account_id/account_media/:account_media_id'
  | 'GET /12/accounts/:account_id/authenticated_user_access'
  | 'GET /12/accounts/:account_id/campaigns'
  | 'GET /12/accounts/:account_id/campaigns/:campaign_id'
  | 'GET /12/accounts/:account_id/cards'
  | 'GET /12/accounts/:account_id/cards/:card_id'
  | 'GET /12/accounts/:account_id/cards/all'
  | 'GET /12/accounts/:account_id/cards/all/:card_id'
  | 'GET /12/accounts/:account_id/cards/image_conversation'
  | 'GET /12/accounts/:account_id/cards/image_conversation/:card_id'
  | 'GET /12/accounts/:account_id/cards/poll'
  | 'GET /12/accounts/:account_id/cards/poll/:card_id'
  | 'GET /12/accounts/:account_id/cards/video_conversation'
  | 'GET /12/accounts/:account_id/cards/video_conversation/:card_id'
  | 'GET /12/accounts/:account_id/curated_categories'
  | 'GET /12/accounts/:account_id/curated_categories/:curated_category_id'
  | 'GET /12/accounts/:account_id/custom_audiences'
  | 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id'
  | 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions'
  | 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/targeted'
  | 'GET /12/accounts/:account_id/do_not_reach_lists'
  | 'GET /12/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id'
  | 'GET /12/accounts/:account_id/features'
  | 'GET /12/accounts/:account_id/funding_instruments'
  | 'GET /12/accounts/:account_id/funding_instruments/:funding_instrument_id'
  | 'GET /12/accounts/:account_id/line_item_curated_categories'
  | 'GET /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id'
  | 'GET /12/accounts/:account_id/line_items'
  | 'GET /12/accounts/:account_id/line_items/:line_item_id'
  | 'GET /12/accounts/:account_id/media_library'
  | 'GET /12/accounts/:account_id/media_library/:media_key'
  | 'GET /12/accounts/:account_id/posts'
  | 'GET /12/accounts/:account_id/promotable_users'
  | 'GET /12/accounts/:account_id/promotable_users/:promotable_user_id'
  | 'GET /12/accounts/:account_id/promoted_posts'
  | 'GET /12/accounts/:account_id/promoted_posts/:promoted_post_id'
  | 'GET /12/accounts/:account_id/promoted_tweets'
  | 'GET /12/accounts/:account_id/promoted_tweets/:promoted_post_id'
  | 'GET /12/accounts/:account_id/scheduled_posts'
  | 'GET /12/accounts/:account_id/scheduled_posts/:scheduled_post_id'
  | 'GET /12/accounts/:account_id/scheduled_tweets'
  | 'GET /12/accounts/:account_id/scheduled_tweets/:scheduled_post_id'
  | 'GET /12/accounts/:account_id/targeting_criteria'
  | 'GET /12/accounts/:account_id/targeting_criteria/:targeting_criterion_id'
  | 'GET /12/accounts/:account_id/tweets'
  | 'GET /12/advertiser_business_categories'
  | 'GET /12/insights/keywords/search'
  | 'GET /12/product_catalogs'
  | 'GET /12/product_catalogs/:product_catalog_id/product_sets'
  | 'GET /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id'
  | 'GET /12/product_catalogs/:product_catalog_id/products'
  | 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds'
  | 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id'
  | 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id/reports'
  | 'GET /2/activity/stream'
  | 'GET /2/activity/subscriptions'
  | 'GET /2/dm_conversations/:id/dm_events'
  | 'GET /2/dm_conversations/with/:participant_id/dm_events'
  | 'GET /2/dm_events'
  | 'GET /2/dm_events/:event_id'
  | 'GET /2/lists/:id'
  | 'GET /2/lists/:id/followers'
  | 'GET /2/lists/:id/members'
  | 'GET /2/lists/:id/posts'
  | 'GET /2/lists/:id/tweets'
  | 'GET /2/media'
  | 'GET /2/media/:media_key'
  | 'GET /2/media/upload'
  | 'GET /2/oauth2/authorize'
  | 'GET /2/posts'
  | 'GET /2/posts/:id'
  | 'GET /2/posts/:id/liking_users'
  | 'GET /2/posts/:id/quote_posts'
  | 'GET /2/posts/:id/reposted_by'
  | 'GET /2/posts/:id/reposts'
  | 'GET /2/posts/counts/all'
  | 'GET /2/posts/counts/recent'
  | 'GET /2/posts/search/all'
  | 'GET /2/posts/search/recent'
  | 'GET /2/spaces'
  | 'GET /2/spaces/:id'
  | 'GET /2/spaces/:id/buyers'
  | 'GET /2/spaces/:id/posts'
  | 'GET /2/spaces/:id/tweets'
  | 'GET /2/spaces/by/creator_ids'
  | 'GET /2/spaces/search'
  | 'GET /2/tweets'
  | 'GET /2/tweets/:id'
  | 'GET /2/tweets/:id/liking_users'
  | 'GET /2/tweets/:id/quote_tweets'
  | 'GET /2/tweets/:id/retweeted_by'
  | 'GET /2/tweets/:id/retweets'
  | 'GET /2/tweets/counts/all'
  | 'GET /2/tweets/counts/recent'
  | 'GET /2/tweets/search/all'
  | 'GET /2/tweets/search/recent'
  | 'GET /2/users'
  | 'GET /2/users/:id'
  | 'GET /2/users/:id/blocking'
  | 'GET /2/users/:id/bookmarks'
  | 'GET /2/users/:id/followed_lists'
  | 'GET /2/users/:id/followers'
  | 'GET /2/users/:id/following'
  | 'GET /2/users/:id/liked_posts'
  | 'GET /2/users/:id/liked_tweets'
  | 'GET /2/users/:id/list_memberships'
  | 'GET /2/users/:id/mentions'
  | 'GET /2/users/:id/muting'
  | 'GET /2/users/:id/owned_lists'
  | 'GET /2/users/:id/pinned_lists'
  | 'GET /2/users/:id/posts'
  | 'GET /2/users/:id/timelines/reverse_chronological'
  | 'GET /2/users/:id/tweets'
  | 'GET /2/users/by'
  | 'GET /2/users/by/username/:username'
  | 'GET /2/users/me'
  | 'GET /2/users/reposts_of_me'
  | 'GET /2/users/retweets_of_me'
  | 'GET /2/webhooks'
  | 'GET /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions'
  | 'GET /i/oauth2/authorize'
  | 'GET /oauth/authenticate'
  | 'GET /oauth/authorize'
  | 'GET /oauth/explanations/:explanation_id'
  | 'POST /1.1/account/pin_post'
  | 'POST /1.1/account/pin_tweet'
  | 'POST /1.1/account/unpin_post'
  | 'POST /1.1/account/unpin_tweet'
  | 'POST /1.1/account/update_profile'
  | 'POST /1.1/direct_messages/indicate_typing'
  | 'POST /1.1/direct_messages/mark_read'
  | 'POST /1.1/media/metadata/create'
  | 'POST /1.1/media/upload'
  | 'POST /1.1/oauth/invalidate_token'
  | 'POST /12/accounts'
  | 'POST /12/accounts/:account_id/campaigns'
  | 'POST /12/accounts/:account_id/cards'
  | 'POST /12/accounts/:account_id/cards/image_conversation'
  | 'POST /12/accounts/:account_id/cards/poll'
  | 'POST /12/accounts/:account_id/cards/video_conversation'
  | 'POST /12/accounts/:account_id/custom_audiences'
  | 'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions'
  | 'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/users'
  | 'POST /12/accounts/:account_id/do_not_reach_lists'
  | 'POST /12/accounts/:account_id/features'
  | 'POST /12/accounts/:account_id/funding_instruments'
  | 'POST /12/accounts/:account_id/line_item_curated_categories'
  | 'POST /12/accounts/:account_id/line_items'
  | 'POST /12/accounts/:account_id/media_library'
  | 'POST /12/accounts/:account_id/post'
  | 'POST /12/accounts/:account_id/promoted_posts'
  | 'POST /12/accounts/:account_id/promoted_tweets'
  | 'POST /12/accounts/:account_id/scheduled_posts'
  | 'POST /12/accounts/:account_id/scheduled_tweets'
  | 'POST /12/accounts/:account_id/targeting_criteria'
  | 'POST /12/accounts/:account_id/tweet'
  | 'POST /12/batch/accounts/:account_id/campaigns'
  | 'POST /12/batch/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id/users'
  | 'POST /12/batch/accounts/:account_id/line_items'
  | 'POST /12/batch/accounts/:account_id/targeting_criteria'
  | 'POST /12/product_catalogs'
  | 'POST /12/product_catalogs/:product_catalog_id/product_sets'
  | 'POST /12/product_catalogs/:product_catalog_id/scheduled_feeds'
  | 'POST /2/account_activity/replay/webhooks/:webhook_id/subscriptions/all'
  | 'POST /2/activity/subscriptions'
  | 'POST /2/dm_conversations'
  | 'POST /2/dm_conversations/:dm_conversation_id/messages'
  | 'POST /2/dm_conversations/with/:participant_id/messages'
  | 'POST /2/lists'
  | 'POST /2/lists/:id/members'
  | 'POST /2/media/metadata'
  | 'POST /2/media/upload'
  | 'POST /2/media/upload/:id/append'
  | 'POST /2/media/upload/:id/finalize'
  | 'POST /2/media/upload/initialize'
  | 'POST /2/oauth2/authorize'
  | 'POST /2/oauth2/revoke'
  | 'POST /2/oauth2/token'
  | 'POST /2/posts'
  | 'POST /2/spaces'
  | 'POST /2/tweets'
  | 'POST /2/users/:id/blocking'
  | 'POST /2/users/:id/bookmarks'
  | 'POST /2/users/:id/followed_lists'
  | 'POST /2/users/:id/following'
  | 'POST /2/users/:id/likes'
  | 'POST /2/users/:id/muting'
  | 'POST /2/users/:id/pinned_lists'
  | 'POST /2/users/:id/reposts'
  | 'POST /2/users/:id/retweets'
  | 'POST /2/webhooks'
  | 'POST /2/webhooks/replay'
  | 'POST /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions'
  | 'POST /i/oauth2/authorize'
  | 'POST /oauth/access_token'
  | 'POST /oauth/authorize'
  | 'POST /oauth/request_token'
  | 'POST /oauth2/invalidate_token'
  | 'POST /oauth2/token'
  | 'PUT /12/accounts/:account_id'
  | 'PUT /12/accounts/:account_id/campaigns/:campaign_id'
  | 'PUT /12/accounts/:account_id/cards/:card_id'
  | 'PUT /12/accounts/:account_id/cards/image_conversation/:card_id'
  | 'PUT /12/accounts/:account_id/cards/video_conversation/:card_id'
  | 'PUT /12/accounts/:account_id/custom_audiences/:custom_audience_id'
  | 'PUT /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id'
  | 'PUT /12/accounts/:account_id/line_items/:line_item_id'
  | 'PUT /12/accounts/:account_id/media_library/:media_key'
  | 'PUT /12/accounts/:account_id/posts/:post_id/name'
  | 'PUT /12/accounts/:account_id/scheduled_posts/:scheduled_post_id'
  | 'PUT /12/accounts/:account_id/scheduled_tweets/:scheduled_post_id'
  | 'PUT /12/accounts/:account_id/tweets/:post_id/name'
  | 'PUT /12/product_catalogs/:product_catalog_id'
  | 'PUT /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id'
  | 'PUT /12/product_catalogs/:product_catalog_id/products'
  | 'PUT /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id'
  | 'PUT /2/activity/subscriptions/:subscription_id'
  | 'PUT /2/lists/:id'
  | 'PUT /2/posts/:id/hidden'
  | 'PUT /2/spaces/:id'
  | 'PUT /2/tweets/:id/hidden'
  | 'PUT /2/webhooks/:webhook_id'

export interface User {
  id: string
  name: string
  username: string
  affiliation?: Record<string, any>
  confirmed_email?: string
  connection_status?: ('following' | 'followed_by' | 'blocking' | 'muting')[]
  created_at?: string
  description?: string
  entities?: Record<string, any>
  is_identity_verified?: boolean
  location?: string
  most_recent_post_id?: string
  most_recent_tweet_id?: string
  parody?: boolean
  pinned_post_id?: string
  pinned_tweet_id?: string
  profile_banner_url?: string
  profile_image_url?: string
  protected?: boolean
  public_metrics?: {
    followers_count: number
    following_count: number
    post_count?: number
    tweet_count?: number
    listed_count: number
    like_count: number
    media_count: number
  }
  receives_your_dm?: boolean
  subscribes_to_you?: boolean
  subscription?: Record<string, any>
  subscription_type?: string
  url?: string
  verified?: boolean
  verified_followers_count?: number
  verified_type?: string
  withheld?: Record<string, any>
}

export interface Post {
  id: string
  text: string
  edit_history_post_ids?: string[]
  edit_history_tweet_ids?: string[]
  article?: Record<string, any>
  article_title?: string
  attachments?: { media_keys?: string[]; poll_ids?: string[] }
  author_id?: string
  card_uri?: string
  community_id?: string
  context_annotations?: Record<string, any>[]
  conversation_id?: string
  created_at?: string
  display_text_range?: number[]
  edit_controls?: { edits_remaining: number; is_edit_eligible: boolean; editable_until: string }
  entities?: Record<string, any>
  geo?: { place_id: string }
  in_reply_to_user_id?: string
  lang?: string
  matched_media_notes?: Record<string, any>
  media_metadata?: Record<string, any>[]
  non_public_metrics?: { impression_count: number; url_link_clicks: number; user_profile_clicks: number }
  note_request_suggestions?: Record<string, any>
  note_post?: Record<string, any>
  note_tweet?: Record<string, any>
  organic_metrics?: {
    impression_count: number
    like_count: number
    reply_count: number
    repost_count?: number
    retweet_count?: number
    url_link_clicks: number
    user_profile_clicks: number
  }
  paid_partnership?: Record<string, any>
  possibly_sensitive?: boolean
  promoted_metrics?: Record<string, any>
  public_metrics?: {
    repost_count?: number
    retweet_count?: number
    reply_count: number
    like_count: number
    quote_count: number
    bookmark_count: number
    impression_count: number
  }
  referenced_posts?: { type: 'replied_to' | 'quoted' | 'reposted'; id: string }[]
  referenced_tweets?: { type: 'replied_to' | 'quoted' | 'reposted'; id: string }[]
  reply_settings?: string
  scopes?: Record<string, any>
  source?: string
  suggested_source_links?: Record<string, any>
  suggested_source_links_with_counts?: Record<string, any>
  withheld?: Record<string, any>
}

/** What events carry. A member whose name differs between the dialects stands under both names. */
export interface EventPayloads {
  'profile.update.bio': { before: string; after: string }
  'profile.update.profile_picture': { before: string; after: string }
  'profile.update.banner_picture': { before: string; after: string }
  'profile.update.screenname': { before: string; after: string }
  'profile.update.geo': { before: string; after: string }
  'profile.update.url': { before: string; after: string }
  'profile.update.verified': { before: string; after: string }
  'profile.update.affiliate': { before: string; after: string }
  'profile.update.handle': { before: string; after: string }
  'news.new': {
    id: string
    name: string
    category?: string
    hook?: string
    summary?: string
    contexts?: {
      entities?: { events?: string[]; organizations?: string[]; people?: string[]; places?: string[]; products?: string[] }
      topics?: string[]
      finance?: { tickers?: string[] }
      sports?: { teams?: string[] }
    }
    cluster_posts_results?: { post_id?: string; tweet_id?: string }[]
    cluster_tweets_results?: { post_id?: string; tweet_id?: string }[]
    updated_at?: string
    disclaimer?: string
  }
  'follow.follow': { source: { data: User }; target: { data: User } }
  'follow.unfollow': { source: { data: User }; target: { data: User } }
  'mute.mute': { source: { data: User }; target: { data: User } }
  'mute.unmute': { source: { data: User }; target: { data: User } }
  'block.block': { source: { data: User }; target: { data: User } }
  'block.unblock': { source: { data: User }; target: { data: User } }
  'like.create': {
    id: string
    liked_post_id?: string
    liked_tweet_id?: string
    liked_post_author_id?: string
    liked_tweet_author_id?: string
    created_at: string
    timestamp_ms: string
  }
  'spaces.start': { user: { data: User }; broadcast_id: string; event_type: 'spaces_start' }
  'spaces.end': { user: { data: User }; broadcast_id: string; event_type: 'spaces_end' }
  'broadcast.start': { user: { data: User }; broadcast_id: string; event_type: 'broadcast_start' }
  'broadcast.end': { user: { data: User }; broadcast_id: string; event_type: 'broadcast_end' }
  'broadcast.chat': { user: { data: User }; broadcast_id: string; event_type: 'broadcast_chat'; sender: { data: User }; text: string }
  'dm.received': {
    direct_message_events: {
      type: 'message_create'
      id: string
      created_timestamp: string
      message_create: {
        target: { recipient_id: string }
        sender_id: string
        message_data: { text: string; entities?: Record<string, any> }
      }
    }[]
    users: Record<string, { data: User }>
  }
  'dm.sent': EventPayloads['dm.received']
  'dm.read': {
    direct_message_mark_read_events: {
      created_timestamp: string
      sender_id: string
      target: { recipient_id: string }
      last_read_event_id: string
    }[]
    users: Record<string, { data: User }>
  }
  'dm.indicate_typing': {
    direct_message_indicate_typing_events: { created_timestamp: string; sender_id: string; target: { recipient_id: string } }[]
    users: Record<string, { data: User }>
  }
  'chat.received': {
    id: string
    conversation_id: string
    sender_id: string
    encoded_event: string
    conversation_token?: string
    created_at_msec?: string
    conversation_key_version?: string
    conversation_key_change_event?: string
    message_event_signature?: { public_key_version?: string; signature: string; signature_version?: string; signing_public_key?: string }
  }
  'chat.sent': EventPayloads['chat.received']
  'chat.conversation_join': EventPayloads['chat.received']
  'chat.conversation.member_added': EventPayloads['chat.received']
  'chat.conversation.member_removed': EventPayloads['chat.received']
  'chat.conversation.admin_added': EventPayloads['chat.received']
  'chat.conversation.admin_removed': EventPayloads['chat.received']
  'chat.update.group_name': EventPayloads['chat.received']
  'chat.update.restrictions': EventPayloads['chat.received']
  'post.create': Post
  'post.delete': { id: string; author_id: string }
  'post.mention.create': Post
  'post.reply.create': Post
  'post.quote.create': Post
  'post.repost.create': Post
  'oauth.revoke': { date_time: string; user_id: string; app_id: string }
}
