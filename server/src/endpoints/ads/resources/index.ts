import type { AnyResource } from '../../../api/records/resource.ts'
import { AccountApp } from './account-app.ts'
import { AccountMedia } from './account-media.ts'
import { Campaign } from './campaign.ts'
import { AnyCard } from './card.ts'
import { CustomAudience, TailoredAudiencePermission } from './custom-audience.ts'
import { DoNotReachList } from './do-not-reach-list.ts'
import { FundingInstrument } from './funding-instrument.ts'
import { LibraryMedia } from './library-media.ts'
import { LineItem } from './line-item.ts'
import { LineItemCuratedCategory } from './line-item-curated-category.ts'
import { PromotableUser } from './promotable-user.ts'
import { PromotedPost } from './promoted-post.ts'
import { TargetingCriterion } from './targeting-criterion.ts'

/** The resources of an account, each after its parent and after what its records bring. A seed is loaded in this order. */
export const accountResources: readonly AnyResource[] = [
  AccountApp,
  PromotableUser,
  FundingInstrument,
  Campaign,
  LineItem,
  TargetingCriterion,
  PromotedPost,
  LineItemCuratedCategory,
  CustomAudience,
  TailoredAudiencePermission,
  DoNotReachList,
  AccountMedia,
  LibraryMedia,
  AnyCard,
]
