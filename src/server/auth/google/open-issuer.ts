import type { Logger } from 'pino'
import type { GoogleSettings } from '../../config/google-settings.ts'
import type { Issuer } from './issuer.ts'

/** What this server asks of the issuer. */
export type IssuerCalls = Pick<Issuer, 'ready' | 'signInAddress' | 'identify'>

/**
 * Returns the issuer of the settings. The client library is loaded when somebody signs in for the
 * first time, because it costs time and memory at the start.
 */
export function openIssuer(settings: GoogleSettings, log: Logger): IssuerCalls {
  let loading: Promise<Issuer> | undefined

  const loaded = (): Promise<Issuer> => {
    loading ??= import('./issuer.ts').then(
      ({ Issuer }) => new Issuer(settings, log),
      (error) => {
        // The next sign-in tries again. Perhaps the process had too many open files.
        loading = undefined
        throw error
      },
    )
    return loading
  }

  return {
    ready: async () => (await loaded()).ready(),
    signInAddress: async (...asked) => (await loaded()).signInAddress(...asked),
    identify: async (...answered) => (await loaded()).identify(...answered),
  }
}
