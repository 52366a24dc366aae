import { dirname, join, relative } from 'node:path/posix'

/** What is copied: paths from the root of the repository, and where each is in the package. */
export type Copies = Readonly<Record<string, string>>

/** Where a file of the repository is in the package; undefined if it is not there. */
function placeOf(path: string, copies: Copies): string | undefined {
  const found = Object.entries(copies).find(([from]) => path === from || path.startsWith(`${from}/`))
  return found && join(found[1], path.slice(found[0].length))
}

/** A link of Markdown to another file of the repository, with an anchor or without. */
const LINK = /\[([^\]]+)\]\((?!https?:|mailto:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g

/** A page as it is in the package: its links lead to the copies of files, and what is not in the package is named without a link. */
export const packageLinks = (page: string, path: string, copies: Copies): string =>
  page.replace(LINK, (_, text: string, target: string, anchor = '') => {
    const place = placeOf(join(dirname(path), target), copies)
    return place === undefined ? text : `[${text}](${relative(dirname(placeOf(path, copies)!), place)}${anchor})`
  })
