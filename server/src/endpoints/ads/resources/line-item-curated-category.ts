import { adsId } from '../../../api/declare/ads-words.ts'
import { resource } from '../../../api/records/resource.ts'
import { LineItem } from './line-item.ts'

/** That a line item appears beside the publishers of a curated category (§2.8). */
export const LineItemCuratedCategory = resource({
  title: 'Line item curated category',
  name: 'line_item_curated_categories',
  notFound: 'NOT_FOUND',
  childOf: { parent: LineItem, by: 'line_item_id' },
  filterable: ['line_item_id'],
  fields: { line_item_id: adsId(), curated_category_id: adsId({ example: '9ddrgesiap6o' }) },
})
