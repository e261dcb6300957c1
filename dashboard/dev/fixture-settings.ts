// The settings, the team and the sandbox phone of the pretended server.
import type { PhoneBody, SettingsBody, TeamBody } from '../../server/src/dashboard-api/shapes.ts'
import type { World } from './fixtures.ts'

const HOUR = 3_600_000

export const phone = (now: number, isEmpty: boolean): PhoneBody => ({
  prompts: isEmpty
    ? []
    : [1, 2].map((number) => ({
        reference: `ref${number}`,
        operatorName: 'Airtel Money',
        msisdn: '22790123456',
        amount: 15_000 * number,
        merchantName: 'Boutique Awa',
        createdAt: now - number * 30_000,
      })),
  testNumbers: [
    ['40410000000', 'success'],
    ['40410000002', 'operator error'],
    ['40410000004', 'insufficient funds'],
    ['40410000006', 'declined'],
    ['40410000008', 'slow payer'],
    ['40410000112', 'cut after debiting'],
    ['40410000119', 'prompt expires'],
    ['40410000127', 'waits for the phone'],
  ].map(([msisdn = '', outcome = '']) => ({ country: 'NE, BJ', msisdn, outcome })),
})

export const settings = ({ amount, now }: World): SettingsBody =>
  amount === 'none'
    ? {
        brand: { name: 'Boutique Awa', logoUrl: null, colour: null, phone: null },
        business: { legalName: '', registration: '', country: 'NE', city: '', address: '', contact: '' },
        documents: [],
        validation: { state: 'not_asked', reason: null },
        sites: [],
      }
    : {
        brand: { name: 'Boutique Awa', logoUrl: null, colour: '#0f6b45', phone: '+227 90 12 34 56' },
        business: {
          legalName: 'Boutique Awa SARL',
          registration: 'NE-NIA-2024-B-1234',
          country: 'NE',
          city: 'Niamey',
          address: 'Avenue de la Mairie, Plateau',
          contact: 'Awa Diallo, +227 90 12 34 56',
        },
        documents: [
          {
            documentId: 'doc_1',
            name: 'Registre de commerce.pdf',
            type: 'application/pdf',
            bytes: 482_113,
            uploadedAt: now - 200 * HOUR,
          },
          {
            documentId: 'doc_2',
            name: 'Carte d’identité recto-verso.jpg',
            type: 'image/jpeg',
            bytes: 1_930_221,
            uploadedAt: now - 199 * HOUR,
          },
        ],
        validation:
          amount === 'year'
            ? { state: 'validated', reason: null }
            : { state: 'refused', reason: 'Le registre de commerce n’est pas lisible.' },
        sites: ['https://www.boutique-awa.example'],
      }

export const team = ({ amount, now }: World): TeamBody => ({
  members: [
    {
      personId: 'per_1',
      name: 'Awa Diallo',
      email: 'awa@boutique.example',
      role: 'owner' as const,
      totp: true,
      lastSeenAt: now - 60_000,
    },
    ...(amount === 'none'
      ? []
      : [
          {
            personId: 'per_2',
            name: 'Moussa Ibrahim',
            email: 'moussa@agence-web.example',
            role: 'developer' as const,
            totp: false,
            lastSeenAt: now - 30 * HOUR,
          },
          {
            personId: 'per_3',
            name: 'Ramatou Saley',
            email: 'ramatou@boutique.example',
            role: 'cashier' as const,
            totp: false,
            lastSeenAt: null,
          },
        ]),
  ],
  invitations:
    amount === 'none'
      ? []
      : [
          {
            invitationId: 'inv_1',
            email: 'koffi@comptable.example',
            role: 'viewer' as const,
            createdAt: now - HOUR,
            expiresAt: now + 70 * HOUR,
          },
        ],
})
