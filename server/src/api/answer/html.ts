/** HTML that is safe to send: every text in it was escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | readonly Html[] | string | number | false | undefined

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' }

const escapeText = (text: string) => text.replace(/[&<>"'`]/g, (char) => ESCAPES[char]!)

function write(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(write).join('')
  return piece === undefined || piece === false ? '' : escapeText(String(piece))
}

/** Writes HTML: what is put into it is escaped, unless it is HTML. Attributes must be in double quotes. */
export const html = (strings: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(strings.reduce((text, string, place) => text + write(pieces[place - 1]) + string))
