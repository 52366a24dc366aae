/** A code of the IAB content taxonomy: `IAB9`, `IAB9-30`. */
export const IAB_CODE = /^IAB([1-9]|1\d|2[0-6])(-\d{1,2})?$/

/** Expands `9-1..9-3 10` to `IAB9-1`, `IAB9-2`, `IAB9-3`, `IAB10`. */
function codesOf(ranges: string): string[] {
  return ranges.split(' ').flatMap((range) => {
    const [, group, first, last] = /^(\d+)-(\d+)\.\.\d+-(\d+)$/.exec(range) ?? []
    if (group === undefined) return [`IAB${range}`]
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `IAB${group}-${Number(first) + index}`)
  })
}

const category = (id: string, name: string, ranges: string) => ({ id, name, iab_categories: codesOf(ranges) })

/** The sixteen business categories of advertisers (public practice). */
export const businessCategories = [
  category('1jl', 'Consumer Packaged Goods', '4 6 9-1..9-6 9-8..9-29 9-31 10 16 22 23'),
  category('1jm', 'Health & Pharma', '7'),
  category('1jn', 'Alcohol', '8-5 8-18'),
  category('1jo', 'Dining', '8-1..8-4 8-6..8-17'),
  category('1jp', 'Financial Services', '3 13 21'),
  category('1jq', 'Retail', '18'),
  category('1jr', 'Travel', '20'),
  category('1js', 'Gaming', '9-30'),
  category('1jt', 'Technology', '5 15 19-1..19-5 19-7..19-17 19-19..19-36'),
  category('1ju', 'Telecommunication', '19-6 19-18'),
  category('1jv', 'Auto', '2'),
  category('1jw', 'Media & Entertainment', '1-1..1-7 12 14-2..14-8 17 25-1'),
  category('1jx', 'Politics', '11-4'),
  category('1jy', 'Gambling', '9-7'),
  category('1jz', 'Dating', '14-1'),
  category('1k0', 'Non-Profit', '11-1 11-2 11-3 11-5'),
]

/** The business category of an IAB code. */
export const businessCategoryOf = (code: string) => businessCategories.find(({ iab_categories }) => iab_categories.includes(code))
