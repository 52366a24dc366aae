/** The folder of the console, wherever a proxy has put it: this module is in `assets/` of it. */
export const base = new URL('..', import.meta.url)

/** An address of the operator API, which is beside the console. */
export const apiUrl = (path: string) => new URL(`../operator/${path}`, base)

/** An address of another page of the server. */
export const serverUrl = (path: string) => new URL(`../${path}`, base)
