// Sign-in links. Clients have the host of the approval page built in, and the browser that opens it knows nothing of Postern.

/** The origins of approval pages, before one of their paths. */
const SIGN_IN = /https:\/\/(?:(?:api|www)\.)?(?:x|twitter)\.com(?=\/(?:(?:i|2)\/oauth2\/authorize|oauth\/(?:authorize|authenticate))(?![\w/-]))/g

/** The longest text that matches. */
export const LONGEST_LINK = 'https://www.twitter.com/oauth/authenticate'.length

/** Returns a function that leads the sign-in links of a text to Postern. @param {string} pages Its origin for browsers. */
export const linksTo = (pages) => (/** @type {string} */ text) => text.replace(SIGN_IN, pages)
