// Sign-in links. Clients have the host of the approval page built in, and the browser that opens it knows nothing of Postern.

/** The origins of approval pages, before one of their paths. */
const SIGN_IN =
  /https:\/\/(?:(?:api|www)\.)?(?:x|twitter)\.com(?=\/(?:(?:i|2)\/oauth2\/authorize|oauth\/(?:authorize|authenticate))(?![\w/-]))/g

/** The end of a text that may be the beginning of a link, of which the rest is still to come. */
const BEGUN = /h(?:t(?:t(?:p(?:s(?::(?:\/(?:\/[\w./]{0,48})?)?)?)?)?)?)?$/

/** Where the beginning of a link stands at the end of a text; its length when there is none. @param {string} text */
function startsLink(text) {
  const begun = BEGUN.exec(text)
  return begun ? begun.index : text.length
}

/** Returns a function that leads the sign-in links of a text to Postern. @param {string} pages Its origin for browsers. */
const linksTo = (pages) => (/** @type {string} */ text) => text.replace(SIGN_IN, pages)

module.exports = { startsLink, linksTo }
