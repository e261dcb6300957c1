// What our letters say, in both languages. Plain text: every mail program shows it, and nothing in it is fetched.
import type { Language } from '../../domain/person.ts'
import type { MailKind } from '../../store/people/mails.ts'

export interface LetterText {
  subject: string
  text: string
}

interface Facts {
  name: string
  merchant: string
  address: string
}

type Letters = {
  [Kind in MailKind]: (facts: Kind extends 'invitation' ? Omit<Facts, 'name'> : Omit<Facts, 'merchant'>) => LetterText
}

export const LETTERS: Readonly<Record<Language, Letters>> = {
  fr: {
    password_reset: ({ name, address }) => ({
      subject: 'Karba : choisir un nouveau mot de passe',
      text: `Bonjour ${name},

Pour choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :

${address}

Elle ne sert qu’une fois. Si vous n’avez rien demandé, ne faites rien : votre mot de passe reste le même.
`,
    }),
    password_changed: ({ name, address }) => ({
      subject: 'Karba : votre mot de passe a été changé',
      text: `Bonjour ${name},

Votre mot de passe vient d’être changé, et vos autres appareils ont été déconnectés.

Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe :

${address}
`,
    }),
    invitation: ({ merchant, address }) => ({
      subject: `Karba : invitation à rejoindre ${merchant}`,
      text: `Bonjour,

${merchant} vous invite à rejoindre son équipe sur Karba. Pour accepter, ouvrez cette adresse dans les sept jours :

${address}

Si vous ne connaissez pas ${merchant}, ne faites rien.
`,
    }),
  },
  en: {
    password_reset: ({ name, address }) => ({
      subject: 'Karba: choose a new password',
      text: `Hello ${name},

To choose a new password, open this address within the hour:

${address}

It works once. If you did not ask for it, do nothing: your password stays as it is.
`,
    }),
    password_changed: ({ name, address }) => ({
      subject: 'Karba: your password was changed',
      text: `Hello ${name},

Your password was changed just now, and your other devices were signed out.

If that was not you, choose a new password at once:

${address}
`,
    }),
    invitation: ({ merchant, address }) => ({
      subject: `Karba: an invitation to join ${merchant}`,
      text: `Hello,

${merchant} invites you to join its team on Karba. To accept, open this address within seven days:

${address}

If you do not know ${merchant}, do nothing.
`,
    }),
  },
}
