/**
 * Throws a TypeError unless `secrets` is a list of one or more consumer secrets. An empty one is refused
 * because anybody can sign with it, and a bare text because each of its characters would count as a secret.
 */
export function checkSecrets(secrets: readonly string[]): void {
  const isList = Array.isArray(secrets) && secrets.length > 0
  if (isList && secrets.every((secret) => typeof secret === 'string' && secret !== '')) return
  throw new TypeError('secrets must be a list of one or more consumer secrets, none of them empty: secrets: [consumerSecret]')
}
