import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { declaredLimits, limitNameOf, type RateLimits, readRateLimits } from '../../src/access/rate-limits.ts'

const declared = {
  createWebhook: 450,
  listWebhooks: 450,
  validateWebhook: 450,
  deleteWebhook: 450,
  replayWebhook: 100,
  requestToken: 450,
  authorize: 900,
  decideApproval: 450,
  authenticate: 900,
  accessToken: 450,
  invalidateToken: 450,
  obtainBearerToken: 450,
  authorizeUser: 900,
  decideAuthorization: 450,
  authorizeUserPage: 900,
  decideAuthorizationPage: 450,
  obtainTokens: 450,
  revokeToken: 450,
  invalidateBearerToken: 450,
  usersMe: 75,
  verifyCredentials: 75,
  createSubscription: 500,
  listSubscriptions: 500,
  updateSubscription: 500,
  deleteSubscriptions: 500,
  deleteSubscription: 500,
  streamActivity: 450,
  // Data objects: public practice.
  addListMember: 300,
  blockUser: 50,
  bookmarkPost: 50,
  countAllPosts: 300,
  countRecentPosts: 300,
  createConversation: 15,
  indicateTyping: 1000,
  markRead: 1000,
  createList: 300,
  createPost: 100,
  createSpace: 50,
  deleteList: 300,
  deleteMessage: 300,
  deletePost: 50,
  followList: 50,
  followUser: 50,
  getList: 75,
  getMedia: 300,
  getMessage: 15,
  getPost: 450,
  getSpace: 300,
  getUser: 900,
  getUserByUsername: 900,
  hideReply: 50,
  likePost: 50,
  listBlocking: 15,
  listBookmarks: 180,
  listConversationMessages: 15,
  listFollowedLists: 15,
  listFollowers: 300,
  listFollowing: 300,
  listHomeTimeline: 180,
  listLikedPosts: 75,
  listLikingUsers: 75,
  listListFollowers: 180,
  listListMembers: 900,
  listListMemberships: 75,
  listListPosts: 900,
  listMedia: 300,
  listMentions: 450,
  listMessages: 15,
  listMessagesWith: 15,
  listMuting: 15,
  listOwnedLists: 15,
  listPinnedLists: 15,
  listPosts: 5000,
  listQuotes: 75,
  listRepostingUsers: 75,
  listReposts: 75,
  listRepostsOfMe: 75,
  listSpaceBuyers: 300,
  listSpacePosts: 300,
  listSpaces: 300,
  listSpacesByCreators: 300,
  listUserPosts: 900,
  listUsers: 900,
  listUsersByUsernames: 900,
  muteUser: 50,
  pinList: 50,
  pinPost: 50,
  removeBookmark: 50,
  removeListMember: 300,
  removeRepost: 50,
  repostPost: 50,
  searchAllPosts: 300,
  searchKeywords: 500,
  searchRecentPosts: 450,
  searchSpaces: 300,
  sendMessage: 15,
  sendMessageWith: 15,
  unblockUser: 50,
  unfollowList: 50,
  unfollowUser: 50,
  unlikePost: 50,
  unmuteUser: 50,
  unpinList: 50,
  unpinPost: 50,
  updateList: 300,
  updateProfile: 50,
  updateSpace: 50,
  // Uploads of media.
  appendUpload: 10_000,
  completeUpload: 10_000,
  getUpload: 10_000,
  getUploadV1: 10_000,
  createMediaMetadata: 500,
  createMediaMetadataV1: 500,
  initializeUpload: 10_000,
  runUploadCommand: 10_000,
  uploadMedia: 10_000,
  // Catalogs of the advertising API.
  createProductCatalog: 20,
  createProductSet: 100,
  createScheduledFeed: 20,
  deleteProductCatalog: 20,
  deleteProducts: 150,
  deleteProductSet: 100,
  deleteScheduledFeed: 20,
  getProductSet: 2000,
  getScheduledFeed: 1000,
  listFeedReports: 1000,
  listProductCatalogs: 1000,
  listProducts: 1000,
  listProductSets: 2000,
  listScheduledFeeds: 1000,
  putProducts: 600,
  updateProductCatalog: 20,
  updateProductSet: 500,
  updateScheduledFeed: 20,
  adsWrites: 450,
  adsAudienceUsers: 1500,
  adsCoreReads: 10_000,
  adsReads: 2000,
  adsTotals: 200,
  failedAppSecrets: 100,
  failedClientSecrets: 100,
  failedSignatures: 450,
  failedOperatorTokens: 100,
  portalReads: 3000,
  portalActs: 100,
}

const load = async () => allEndpoints

/** All limits by name. */
const tableOf = (limits: RateLimits) => {
  const ofCalls = allEndpoints.map((endpoint) => limits.ofCall(endpoint)).filter(({ most }) => most !== undefined)
  return { ...Object.fromEntries(ofCalls.map(({ name, most }) => [name, most])), ...limits.shared }
}

/** The declared limits, with the overrides of a file. */
async function withOverrides(overrides: object) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-limits-'))
  const file = join(folder, 'limits.json')
  await writeFile(file, JSON.stringify(overrides))
  return tableOf(await readRateLimits(file, load).finally(() => rm(folder, { recursive: true })))
}

suite('rate limits', () => {
  test('are those that the endpoints declare and those that the advertising hosts share', () => {
    assert.deepEqual(tableOf(declaredLimits), declared, 'a limit is written out in `declared` of this file, from the specification')
  })

  test('of an endpoint hold at its deprecated path too', () => {
    const replays = allEndpoints.filter((endpoint) => limitNameOf(endpoint) === 'replayWebhook').map(({ path }) => path)
    assert.deepEqual(replays, ['/2/webhooks/replay', '/2/account_activity/replay/webhooks/:webhook_id/subscriptions/all'])
  })

  test('in a file that is missing or not JSON name the setting and repeat nothing of the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-limits-'))
    const file = join(folder, 'limits.json')
    const read = () => readRateLimits(file, load).catch((error: Error) => error.message)
    try {
      assert.match(String(await read()), /^POSTERN_RATE_LIMITS must be on, off or a JSON file; .*ENOENT/)
      await writeFile(file, 'a secret by mistake')
      assert.equal(await read(), `POSTERN_RATE_LIMITS must be on, off or a JSON file; ${file} cannot be read: it is not JSON`)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('can be overridden by name, and an unknown name is rejected', async () => {
    assert.deepEqual(await withOverrides({ listWebhooks: 3, adsReads: 0 }), { ...declared, listWebhooks: 3, adsReads: 0 })
    await assert.rejects(withOverrides({ listEverything: 3 }), /listEverything, which is not one of createWebhook, listWebhooks/)
    await assert.rejects(withOverrides({ listWebhooks: -1 }), /listWebhooks must be a whole number/)
  })

  test('count the reads of these resources per account', () => {
    const core = allEndpoints.filter((endpoint) => limitNameOf(endpoint) === 'adsCoreReads').map(({ name }) => name)
    assert.deepEqual(core, [
      'listFundingInstruments',
      'getFundingInstrument',
      'listCampaigns',
      'getCampaign',
      'listLineItems',
      'getLineItem',
      'listTargetingCriteria',
      'getTargetingCriterion',
      'listPromotedPosts',
      'getPromotedPost',
    ])
  })
})
