import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import { integer, listOf, object, type Static, text } from '../../../api/declare/words.ts'

/** A curated selection of publishers next to which ads can appear (§2.8). */
export const curatedCategory = object({
  id: adsId(),
  name: text(),
  description: text(),
  country_codes: listOf(text()),
  publisher_user_ids: listOf(text()),
  videos_monetized_in_last_thirty_days: integer(),
  created_at: adsTime(),
  updated_at: adsTime(),
})

export type CuratedCategory = Static<typeof curatedCategory>

const CREATED_AT = '2021-03-01T00:00:00Z'

const category = (id: string, name: string): CuratedCategory => ({
  id,
  name,
  description: `Publishers whose videos are about ${name}.`,
  country_codes: ['US'],
  publisher_user_ids: [],
  videos_monetized_in_last_thirty_days: 0,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
})

/** The built-in curated categories (public practice), sorted by name. */
export const curatedCategories: readonly CuratedCategory[] = [
  category('9lav5usxfmdc', 'Baseball'),
  category('929wbl6ymlfk', 'Basketball'),
  category('9ys3jz3ktreo', 'Esports Teams'),
  category('8tujg1lvi8sn', 'Football'),
  category('94ngssfrr01x', 'Gaming Personalities'),
  category('9fg8gmz96qdg', 'Light-Hearted'),
  category('8tujj1ep7t34', "Men's Culture + Lifestyle"),
  category('9ddrgesiap6o', 'Soccer'),
  category('8tujl1p3yn0g', "Women's Culture + Lifestyle"),
]

export const curatedCategoryWithId = (id: string): CuratedCategory | undefined => curatedCategories.find((category) => category.id === id)
