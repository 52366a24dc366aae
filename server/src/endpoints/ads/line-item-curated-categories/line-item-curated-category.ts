import { adsId } from '../../../api/declare/ads-words.ts'
import { resource } from '../../../api/records/resource.ts'
import { LineItem } from '../line-items/line-item.ts'

/** That a line item appears beside the publishers of a curated category (§2.8). */
export const LineItemCuratedCategory = resource({
  what: 'Line item curated category',
  plural: 'line_item_curated_categories',
  notFound: 'NOT_FOUND',
  partOf: { kind: LineItem, by: 'line_item_id' },
  finds: ['line_item_id'],
  fields: { line_item_id: adsId(), curated_category_id: adsId({ example: '9ddrgesiap6o' }) },
})
