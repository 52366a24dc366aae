import { jwtAuthenticator, nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const inSeconds = () => Math.floor(Date.now() / 1000)

/** A JWT as nats-server reads it: what `issuer` says of `subject`. */
function tokenOf(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const claims = { jti: subject.getPublicKey(), iat: inSeconds(), iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name: 'test' }
  const signed = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded({ ...claims, nats: { version: 2, ...nats } })}`
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`
}

const UNLIMITED = { subs: -1, data: -1, payload: -1 }
const ACCOUNT_LIMITS = { ...UNLIMITED, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
const JETSTREAM_LIMITS = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

const seedOf = (pair: KeyPair) => Buffer.from(pair.getSeed()).toString()

/** An operator with one account, whose users sign in with credentials files. */
export function createNatsAccounts() {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const revocations: Record<string, number> = {}
  const userOf = (pair: KeyPair) => tokenOf(account, pair, { type: 'user', pub: {}, sub: {}, ...UNLIMITED })
  const tester = nkeys.createUser()
  return {
    /** Lines of the configuration of nats-server: they change with who is revoked. */
    configuration() {
      const accounts = {
        [account.getPublicKey()]: tokenOf(operator, account, {
          type: 'account',
          limits: { ...ACCOUNT_LIMITS, ...JETSTREAM_LIMITS },
          revocations,
        }),
        [system.getPublicKey()]: tokenOf(operator, system, { type: 'account', limits: ACCOUNT_LIMITS }),
      }
      return [
        `operator: ${tokenOf(operator, operator, { type: 'operator' })}`,
        `system_account: ${system.getPublicKey()}`,
        'resolver: MEMORY',
        `resolver_preload: ${JSON.stringify(accounts)}`,
      ].join('\n')
    },
    /** How a test connects by itself. */
    login: { authenticator: jwtAuthenticator(userOf(tester), tester.getSeed()) },
    /** A new user, with the text of its credentials file. */
    createUser() {
      const pair = nkeys.createUser()
      return {
        creds: `-----BEGIN NATS USER JWT-----\n${userOf(pair)}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seedOf(pair)}\n------END USER NKEY SEED------\n`,
        revoke() {
          revocations[pair.getPublicKey()] = inSeconds() + 60
        },
      }
    },
  }
}
