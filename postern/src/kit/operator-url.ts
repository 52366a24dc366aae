/** Where the operator endpoints of a server are: on its general host, or on a port of their own, which `POSTERN_OPERATOR_PORT` names. */
export function operatorUrlOf(url: string, { POSTERN_OPERATOR_PORT: port }: Readonly<Record<string, string | undefined>>): string {
  if (port === undefined) return url
  const own = new URL(url)
  own.port = port
  return own.origin
}
