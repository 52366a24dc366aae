import { withDeprecatedPaths } from '../api/declare/deprecated-path.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import type { RecordType } from '../storage/records.ts'
import { createSubscription } from './activity/create-subscription.ts'
import { deleteSubscription } from './activity/delete-subscription.ts'
import { deleteSubscriptions } from './activity/delete-subscriptions.ts'
import { listSubscriptions } from './activity/list-subscriptions.ts'
import { streamActivity } from './activity/stream-activity.ts'
import { updateSubscription } from './activity/update-subscription.ts'
import { listAccountHistory } from './ads/account-history/list-account-history.ts'
import { createSandboxAccount } from './ads/accounts/create-sandbox-account.ts'
import { deleteSandboxAccount } from './ads/accounts/delete-sandbox-account.ts'
import { getAccount } from './ads/accounts/get-account.ts'
import { getUserAccess } from './ads/accounts/get-user-access.ts'
import { listAccounts } from './ads/accounts/list-accounts.ts'
import { updateAccount } from './ads/accounts/update-account.ts'
import { changeAudienceUsers } from './ads/audiences/change-audience-users.ts'
import { changeDoNotReachUsers } from './ads/audiences/change-do-not-reach-users.ts'
import { createCustomAudience } from './ads/audiences/create-custom-audience.ts'
import { createDoNotReachList } from './ads/audiences/create-do-not-reach-list.ts'
import { deleteCustomAudience } from './ads/audiences/delete-custom-audience.ts'
import { deleteDoNotReachList } from './ads/audiences/delete-do-not-reach-list.ts'
import { getCustomAudience } from './ads/audiences/get-custom-audience.ts'
import { listCustomAudiences } from './ads/audiences/list-custom-audiences.ts'
import { listTargeted } from './ads/audiences/list-targeted.ts'
import {
  createCustomAudiencePermission,
  createTailoredAudiencePermission,
  deleteCustomAudiencePermission,
  deleteTailoredAudiencePermission,
  listCustomAudiencePermissions,
  listTailoredAudiencePermissions,
} from './ads/audiences/permission-endpoints.ts'
import { updateCustomAudience } from './ads/audiences/update-custom-audience.ts'
import { listBusinessCategories } from './ads/business-categories/list-business-categories.ts'
import { batchCampaigns } from './ads/campaigns/batch-campaigns.ts'
import { createCampaign } from './ads/campaigns/create-campaign.ts'
import { updateCampaign } from './ads/campaigns/update-campaign.ts'
import {
  createImageConversationCard,
  createVideoConversationCard,
  updateImageConversationCard,
  updateVideoConversationCard,
} from './ads/cards/conversation-endpoints.ts'
import { createCard } from './ads/cards/create-card.ts'
import { createPollCard } from './ads/cards/create-poll-card.ts'
import {
  deleteImageConversationCard,
  deletePollCard,
  deleteVideoConversationCard,
  getImageConversationCard,
  getPollCard,
  getVideoConversationCard,
  listImageConversationCards,
  listPollCards,
  listVideoConversationCards,
} from './ads/cards/legacy-cards.ts'
import { listCards } from './ads/cards/list-cards.ts'
import { deleteCard, getAnyCard, getCard, listAllCards } from './ads/cards/read-cards.ts'
import { updateCard } from './ads/cards/update-card.ts'
import { createProductCatalog } from './ads/catalogs/create-catalog.ts'
import { deleteProductCatalog } from './ads/catalogs/delete-catalog.ts'
import { createScheduledFeed } from './ads/catalogs/feeds/create-feed.ts'
import { deleteScheduledFeed } from './ads/catalogs/feeds/delete-feed.ts'
import { getScheduledFeed } from './ads/catalogs/feeds/get-feed.ts'
import { listScheduledFeeds } from './ads/catalogs/feeds/list-feeds.ts'
import { listFeedReports } from './ads/catalogs/feeds/list-reports.ts'
import { updateScheduledFeed } from './ads/catalogs/feeds/update-feed.ts'
import { listProductCatalogs } from './ads/catalogs/list-catalogs.ts'
import { deleteProducts } from './ads/catalogs/products/delete-products.ts'
import { listProducts } from './ads/catalogs/products/list-products.ts'
import { putProducts } from './ads/catalogs/products/put-products.ts'
import { createProductSet } from './ads/catalogs/sets/create-set.ts'
import { deleteProductSet } from './ads/catalogs/sets/delete-set.ts'
import { getProductSet } from './ads/catalogs/sets/get-set.ts'
import { listProductSets } from './ads/catalogs/sets/list-sets.ts'
import { updateProductSet } from './ads/catalogs/sets/update-set.ts'
import { updateProductCatalog } from './ads/catalogs/update-catalog.ts'
import { getCuratedCategory } from './ads/curated-categories/get-curated-category.ts'
import { listCuratedCategories } from './ads/curated-categories/list-curated-categories.ts'
import { grantFeatures, removeFeatures } from './ads/features/grant-features.ts'
import { listFeatures } from './ads/features/list-features.ts'
import { createFundingInstrument } from './ads/funding-instruments/create-funding-instrument.ts'
import { searchKeywords } from './ads/keyword-insights/search-keywords.ts'
import { createLineItemCuratedCategory } from './ads/line-item-curated-categories/create-line-item-curated-category.ts'
import { updateLineItemCuratedCategory } from './ads/line-item-curated-categories/update-line-item-curated-category.ts'
import { batchLineItems } from './ads/line-items/batch-line-items.ts'
import { createLineItem } from './ads/line-items/create-line-item.ts'
import { updateLineItem } from './ads/line-items/update-line-item.ts'
import { addLibraryMedia } from './ads/media-library/add-library-media.ts'
import { updateLibraryMedia } from './ads/media-library/update-library-media.ts'
import { createAdsPost } from './ads/posts/create-ads-post.ts'
import { listAdsPosts } from './ads/posts/list-ads-posts.ts'
import { renamePost } from './ads/posts/rename-post.ts'
import { createScheduledPost } from './ads/posts/scheduled/create-scheduled-post.ts'
import { deleteScheduledPost } from './ads/posts/scheduled/delete-scheduled-post.ts'
import { getScheduledPost, listScheduledPosts } from './ads/posts/scheduled/read-scheduled-posts.ts'
import { updateScheduledPost } from './ads/posts/scheduled/update-scheduled-post.ts'
import { createPromotedPosts } from './ads/promoted-posts/create-promoted-posts.ts'
import { Account } from './ads/resources/account.ts'
import { listAccountApps } from './ads/resources/account-app.ts'
import { deleteAccountMedia, getAccountMedia, listAccountMedia } from './ads/resources/account-media.ts'
import { deleteCampaign, getCampaign, listCampaigns } from './ads/resources/campaign.ts'
import { getDoNotReachList, listDoNotReachLists } from './ads/resources/do-not-reach-list.ts'
import { deleteFundingInstrument, getFundingInstrument, listFundingInstruments } from './ads/resources/funding-instrument.ts'
import { accountResources } from './ads/resources/index.ts'
import { deleteLibraryMedia, getLibraryMedia, listMediaLibrary } from './ads/resources/library-media.ts'
import { deleteLineItem, getLineItem, listLineItems } from './ads/resources/line-item.ts'
import {
  deleteLineItemCuratedCategory,
  getLineItemCuratedCategory,
  listLineItemCuratedCategories,
} from './ads/resources/line-item-curated-category.ts'
import { getPromotableUser, listPromotableUsers } from './ads/resources/promotable-user.ts'
import { deletePromotedPost, getPromotedPost, listPromotedPosts } from './ads/resources/promoted-post.ts'
import { getTargetingCriterion, listTargetingCriteria } from './ads/resources/targeting-criterion.ts'
import { batchTargetingCriteria } from './ads/targeting-criteria/batch-targeting-criteria.ts'
import { createTargetingCriterion } from './ads/targeting-criteria/create-targeting-criterion.ts'
import { deleteTargetingCriterion } from './ads/targeting-criteria/delete-targeting-criterion.ts'
import { deleteMessage } from './direct-messages/delete-message.ts'
import { getMessage, listConversationMessages, listMessages, listMessagesWith } from './direct-messages/read-messages.ts'
import { createConversation, sendMessage, sendMessageWith } from './direct-messages/send-messages.ts'
import { indicateTyping, markRead } from './direct-messages/signals.ts'
import { blockUser, listBlocking, unblockUser } from './engagement/blocks.ts'
import { bookmarkPost, listBookmarks, removeBookmark } from './engagement/bookmarks.ts'
import { followUser, listFollowers, listFollowing, unfollowUser } from './engagement/follows.ts'
import { hideReply } from './engagement/hide-reply.ts'
import { likePost, listLikedPosts, listLikingUsers, unlikePost } from './engagement/likes.ts'
import { listMuting, muteUser, unmuteUser } from './engagement/mutes.ts'
import { listQuotes, listRepostingUsers, listReposts, listRepostsOfMe } from './engagement/repost-lists.ts'
import { removeRepost, repostPost } from './engagement/reposts.ts'
import { createList, deleteList, updateList } from './lists/change-lists.ts'
import { followList, pinList, unfollowList, unpinList } from './lists/follow-lists.ts'
import { getList } from './lists/get-list.ts'
import { listListPosts } from './lists/list-list-posts.ts'
import { addListMember, listListFollowers, listListMembers, removeListMember } from './lists/list-members.ts'
import { listFollowedLists, listListMemberships, listOwnedLists, listPinnedLists } from './lists/user-lists.ts'
import { getMedia, listMedia } from './media/media-lookups.ts'
import { appendUpload } from './media/upload/append-upload.ts'
import { completeUpload } from './media/upload/complete-upload.ts'
import { getUpload } from './media/upload/get-upload.ts'
import { getUploadV1 } from './media/upload/get-upload-v1.ts'
import { initializeUpload } from './media/upload/initialize-upload.ts'
import { runUploadCommand } from './media/upload/run-upload-command.ts'
import { uploadMedia } from './media/upload/upload-media.ts'
import { invalidateBearerToken } from './oauth2/invalidate-bearer-token.ts'
import { oauth2Metadata } from './oauth2/metadata.ts'
import { obtainBearerToken } from './oauth2/obtain-bearer-token.ts'
import { obtainTokens } from './oauth2/obtain-tokens.ts'
import { revokeToken } from './oauth2/revoke-token.ts'
import { createApp } from './operator/apps/create-app.ts'
import { deleteApp } from './operator/apps/delete-app.ts'
import { listApps } from './operator/apps/list-apps.ts'
import { updateApp } from './operator/apps/update-app.ts'
import { createReplay } from './operator/create-replay.ts'
import { getReplay } from './operator/get-replay.ts'
import { listAllWebhooks } from './operator/list-all-webhooks.ts'
import { listAudit } from './operator/list-audit.ts'
import { listDeliveries } from './operator/list-deliveries.ts'
import { listFailures } from './operator/list-failures.ts'
import { listReplays } from './operator/list-replays.ts'
import { listStreams } from './operator/list-streams.ts'
import { publishEvents } from './operator/publish-events.ts'
import { resendDeliveries } from './operator/resend-deliveries.ts'
import { revokeTokens } from './operator/revoke-tokens.ts'
import { loadSeed } from './operator/seed/load-seed-endpoint.ts'
import { deleteUser } from './operator/users/delete-user.ts'
import { endSessions } from './operator/users/end-sessions.ts'
import { listAllUsers } from './operator/users/list-all-users.ts'
import { updateUser } from './operator/users/update-user.ts'
import { countAllPosts, countRecentPosts } from './posts/count-posts.ts'
import { createPost } from './posts/create-post.ts'
import { deletePost } from './posts/delete-post.ts'
import { getPost } from './posts/get-post.ts'
import { listPosts } from './posts/list-posts.ts'
import { listMentions } from './posts/mentions-timeline.ts'
import { searchAllPosts, searchRecentPosts } from './posts/search-posts.ts'
import { listHomeTimeline, listUserPosts } from './posts/user-timelines.ts'
import { accessToken } from './sign-in/access-token.ts'
import { authenticate, authorize } from './sign-in/authorize.ts'
import { authorizeUser, authorizeUserPage, decideAuthorization, decideAuthorizationPage } from './sign-in/authorize-oauth2.ts'
import { decideApproval } from './sign-in/decide-approval.ts'
import { invalidateToken } from './sign-in/invalidate-token.ts'
import { requestToken } from './sign-in/request-token.ts'
import { createSpace, updateSpace } from './spaces/change-spaces.ts'
import { listSpaceBuyers } from './spaces/list-space-buyers.ts'
import { listSpacePosts } from './spaces/list-space-posts.ts'
import { searchSpaces } from './spaces/search-spaces.ts'
import { getSpace, listSpaces, listSpacesByCreators } from './spaces/space-lookups.ts'
import { pinPost, unpinPost } from './users/pin-post.ts'
import { updateProfile } from './users/update-profile.ts'
import { getUser, getUserByUsername, listUsers, listUsersByUsernames } from './users/user-lookups.ts'
import { usersMe } from './users/users-me.ts'
import { verifyCredentials } from './users/verify-credentials.ts'
import { createWebhook } from './webhooks/create-webhook.ts'
import { deleteWebhook } from './webhooks/delete-webhook.ts'
import { listWebhooks } from './webhooks/list-webhooks.ts'
import { replayWebhook } from './webhooks/replay-webhook.ts'
import { validateWebhook } from './webhooks/validate-webhook.ts'

/** The general host, in the order of the specification. */
export const generalEndpoints = withDeprecatedPaths([
  createWebhook, // §4.1
  listWebhooks,
  validateWebhook,
  deleteWebhook,
  replayWebhook,
  requestToken, // §4.3
  authorize,
  decideApproval,
  authenticate,
  accessToken,
  invalidateToken,
  obtainBearerToken,
  invalidateBearerToken,
  listPosts, // §2.9
  getPost,
  createPost,
  deletePost,
  searchRecentPosts,
  searchAllPosts,
  countRecentPosts,
  countAllPosts,
  listUserPosts,
  listHomeTimeline,
  listUsers,
  listUsersByUsernames,
  getUserByUsername,
  getUser,
  listMentions,
  createList,
  getList,
  updateList,
  deleteList,
  listListMembers,
  addListMember,
  removeListMember,
  listListFollowers,
  listListPosts,
  listOwnedLists,
  listListMemberships,
  listFollowedLists,
  followList,
  unfollowList,
  listPinnedLists,
  pinList,
  unpinList,
  listSpaces,
  getSpace,
  listSpacesByCreators,
  searchSpaces,
  listSpacePosts,
  listSpaceBuyers,
  createSpace,
  updateSpace,
  listMedia,
  getMedia,
  uploadMedia, // §4.7
  initializeUpload,
  appendUpload,
  completeUpload,
  getUpload,
  runUploadCommand,
  getUploadV1,
  listMessages, // §2.9
  getMessage,
  deleteMessage,
  listConversationMessages,
  listMessagesWith,
  sendMessageWith,
  sendMessage,
  createConversation,
  indicateTyping,
  markRead,
  listRepostsOfMe,
  likePost,
  unlikePost,
  listLikedPosts,
  listLikingUsers,
  repostPost,
  removeRepost,
  listRepostingUsers,
  listReposts,
  listQuotes,
  bookmarkPost,
  removeBookmark,
  listBookmarks,
  followUser,
  unfollowUser,
  listFollowing,
  listFollowers,
  muteUser,
  unmuteUser,
  listMuting,
  blockUser,
  unblockUser,
  listBlocking,
  hideReply,
  updateProfile,
  pinPost,
  unpinPost,
  authorizeUser, // §5
  decideAuthorization,
  authorizeUserPage,
  decideAuthorizationPage,
  obtainTokens,
  revokeToken,
  oauth2Metadata,
  usersMe,
  verifyCredentials,
  createSubscription, // §6
  listSubscriptions,
  updateSubscription,
  deleteSubscriptions,
  deleteSubscription,
  streamActivity,
])

/** The advertising hosts, in the order of the specification; some of it on the sandbox alone. */
export const adsEndpoints = [
  listProductCatalogs, // §4.5
  createProductCatalog,
  updateProductCatalog,
  deleteProductCatalog,
  listProducts,
  putProducts,
  deleteProducts,
  getProductSet,
  createProductSet,
  listProductSets,
  updateProductSet,
  deleteProductSet,
  listScheduledFeeds,
  getScheduledFeed,
  createScheduledFeed,
  updateScheduledFeed,
  deleteScheduledFeed,
  listFeedReports,
  createCustomAudience, // §4.6
  listCustomAudiences,
  getCustomAudience,
  updateCustomAudience,
  deleteCustomAudience,
  changeAudienceUsers,
  listTargeted,
  listTailoredAudiencePermissions,
  createTailoredAudiencePermission,
  deleteTailoredAudiencePermission,
  listCustomAudiencePermissions,
  createCustomAudiencePermission,
  deleteCustomAudiencePermission,
  createDoNotReachList,
  listDoNotReachLists,
  getDoNotReachList,
  deleteDoNotReachList,
  changeDoNotReachUsers,
  searchKeywords, // §4.6
  createAdsPost, // §4.7
  renamePost,
  listAdsPosts,
  createScheduledPost,
  listScheduledPosts,
  getScheduledPost,
  updateScheduledPost,
  deleteScheduledPost,
  listPromotableUsers,
  getPromotableUser,
  listAccountMedia,
  getAccountMedia,
  deleteAccountMedia,
  listCards,
  getCard,
  createCard,
  updateCard,
  deleteCard,
  listAllCards,
  getAnyCard,
  deletePollCard,
  deleteVideoConversationCard,
  deleteImageConversationCard,
  listMediaLibrary,
  getLibraryMedia,
  addLibraryMedia,
  updateLibraryMedia,
  deleteLibraryMedia,
  listPollCards,
  getPollCard,
  createPollCard,
  listVideoConversationCards,
  getVideoConversationCard,
  createVideoConversationCard,
  updateVideoConversationCard,
  listImageConversationCards,
  getImageConversationCard,
  createImageConversationCard,
  updateImageConversationCard,
  listAccounts, // §4.8
  getAccount,
  createSandboxAccount,
  updateAccount,
  deleteSandboxAccount,
  getUserAccess,
  listAccountApps,
  listBusinessCategories,
  listCuratedCategories,
  getCuratedCategory,
  listFeatures,
  grantFeatures,
  removeFeatures,
  createFundingInstrument,
  listFundingInstruments,
  getFundingInstrument,
  deleteFundingInstrument,
  createCampaign,
  listCampaigns,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  batchCampaigns,
  createLineItem,
  listLineItems,
  getLineItem,
  updateLineItem,
  deleteLineItem,
  batchLineItems,
  createTargetingCriterion,
  listTargetingCriteria,
  getTargetingCriterion,
  deleteTargetingCriterion,
  batchTargetingCriteria,
  createPromotedPosts,
  listPromotedPosts,
  getPromotedPost,
  deletePromotedPost,
  listLineItemCuratedCategories,
  getLineItemCuratedCategory,
  createLineItemCuratedCategory,
  updateLineItemCuratedCategory,
  deleteLineItemCuratedCategory,
  listAccountHistory,
]

/** The declared record types, each with a table of its own. */
export const recordTypes: readonly RecordType[] = [Account, ...accountResources]

/** For the operator, in every profile. */
export const operatorEndpoints = [
  loadSeed,
  listApps,
  createApp,
  updateApp,
  deleteApp,
  listAllUsers,
  updateUser,
  deleteUser,
  revokeTokens,
  endSessions,
  listAllWebhooks,
  listStreams,
  publishEvents,
  listDeliveries,
  resendDeliveries,
  createReplay,
  listReplays,
  getReplay,
  listAudit,
  listFailures,
]

/** What production serves. Development serves more: `development/endpoints.ts`. */
export const productionEndpoints = [...generalEndpoints, ...adsEndpoints, ...operatorEndpoints] as unknown as readonly Endpoint[]
