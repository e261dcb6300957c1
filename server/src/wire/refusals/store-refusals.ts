// The refusals of archives, the master key and personal data, as the catalogue has them.
import { eachCountry } from '../../domain/countries/country.ts'
import type { StoreRefusals } from '../../domain/refusals/store-refusals.ts'
import type { Rows } from './row.ts'

const CALLING_CODES = eachCountry(({ callingCode }) => `+${callingCode}`)

export const STORE_REFUSALS = {
  archive_not_valid: {
    en: 'This is not an archive that this version of Karba can read.',
    fr: 'Ce n’est pas une archive que cette version de Karba peut lire.',
  },
  archive_not_found: {
    http: 404,
    en: 'This store has no key for this archive: use the store that wrote it. `karba archive list` shows its archives.',
    fr: 'Ce service n’a pas la clé de cette archive. Utilisez celui qui l’a écrite.',
  },
  archive_exists: {
    en: 'Another run has archived this month. Its file is complete; this one was removed.',
    fr: 'Ce mois a été archivé par un autre processus. Ce fichier a été supprimé.',
  },
  master_key_changed: {
    http: 409,
    en: 'The master key was rotated in the meantime. Nothing was changed.',
    fr: 'La clé maîtresse a été changée entre-temps. Rien n’a été modifié.',
  },
  number_not_valid: {
    en: `No payment can have this number. Write it with ${CALLING_CODES.join(' or ')}, or give its country.`,
    fr: `Aucun paiement ne peut avoir ce numéro. Écrivez-le avec ${CALLING_CODES.join(' ou ')}, ou indiquez son pays.`,
  },
  number_under_way: {
    en: 'A payment or a refund of this number is still pending. Nothing was erased: try again when it has ended.',
    fr: 'Un paiement ou un remboursement de ce numéro est encore en attente. Rien n’a été effacé : réessayez quand il sera terminé.',
  },
} as const satisfies Rows<keyof StoreRefusals>
