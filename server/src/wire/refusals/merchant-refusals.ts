// The refusals of merchants and their accounts, as the catalogue has them.
import type { BusinessField } from '../../domain/merchants/brand.ts'
import type { MerchantRefusals } from '../../domain/merchants/merchant-refusals.ts'
import { LINK_METHODS } from '../../domain/methods/methods.ts'
import type { Language } from '../../domain/texts/language.ts'
import type { OriginFault } from '../../domain/texts/web-address.ts'
import { TEXT_EN, TEXT_FR } from './phrases.ts'
import type { Both, Rows } from './row.ts'

/** The parts of a merchant's file, as the dashboard names them. */
const FILE_PARTS: Readonly<Record<BusinessField | 'documents', Record<Language, string>>> = {
  legalName: { en: 'legal name', fr: 'raison sociale' },
  registration: { en: 'RCCM, NIF or IFU', fr: 'RCCM, NIF ou IFU' },
  country: { en: 'country', fr: 'pays' },
  city: { en: 'city', fr: 'ville' },
  address: { en: 'address', fr: 'adresse' },
  contact: { en: 'contact person', fr: 'personne à contacter' },
  documents: { en: 'a document', fr: 'un document' },
}

const fileParts = (parts: readonly (keyof typeof FILE_PARTS)[], language: Language): string =>
  parts.map((part) => FILE_PARTS[part][language]).join(', ')

export const MERCHANT_REFUSALS = {
  merchant_not_found: {
    http: 404,
    en: 'There is no such merchant.',
    fr: 'Ce marchand n’existe pas.',
  },
  merchant_name_not_valid: {
    en: `The name of the business has ${TEXT_EN}.`,
    fr: `Le nom de l’entreprise compte ${TEXT_FR}.`,
  },
  account_not_found: { http: 404, en: 'There is no such account.', fr: 'Ce compte n’existe pas.' },
  link_methods_missing: {
    en: `Choose at least one payment method: ${LINK_METHODS.join(', ')}.`,
    fr: `Choisissez au moins un moyen de paiement : ${LINK_METHODS.join(', ')}.`,
  },
  wording_not_valid: {
    en: ({ longest }) => `The wording has at most ${longest} visible characters on one line.`,
    fr: ({ longest }) =>
      `Le texte compte au plus ${longest} caractères visibles, sur une seule ligne.`,
  },
  too_many_origins: {
    en: ({ most }) => `An account lists at most ${most} sites. Remove one first.`,
    fr: ({ most }) => `Un compte a au plus ${most} sites. Retirez-en un d’abord.`,
  },
  site_origin_not_valid: {
    en: ({ origin, fault }) =>
      `${origin} ${ORIGIN_FAULTS[fault.is].en}${'origin' in fault ? fault.origin : ''}.`,
    fr: ({ origin, fault }) =>
      `${origin} ${ORIGIN_FAULTS[fault.is].fr}${'origin' in fault ? fault.origin : ''}.`,
  },
  brand_name_not_valid: {
    en: ({ longest }) => `The name that customers see has 1 to ${longest} visible characters.`,
    fr: ({ longest }) =>
      `Le nom que voient les clients compte de 1 à ${longest} caractères visibles.`,
  },
  colour_not_valid: {
    en: 'A colour is # and six hexadecimal digits, such as #0a7d4f.',
    fr: 'Une couleur s’écrit avec # et six chiffres hexadécimaux, comme #0a7d4f.',
  },
  colour_not_readable: {
    en: 'White text on this colour cannot be read. Choose a darker one.',
    fr: 'Le texte blanc ne se lit pas sur cette couleur. Choisissez-en une plus foncée.',
  },
  phone_not_valid: {
    en: 'A phone number has 6 to 18 digits, with an optional + before them.',
    fr: 'Un numéro de téléphone a de 6 à 18 chiffres, avec un + facultatif devant.',
  },
  pi_alias_not_valid: {
    en: 'A PI-SPI alias has 36 characters, such as 3497a720-ab11-4973-9619-534e04f263a1. Your bank or wallet has it.',
    fr: 'Un alias PI-SPI a 36 caractères, comme 3497a720-ab11-4973-9619-534e04f263a1. Votre banque ou votre portefeuille le donne.',
  },
  pi_alias_needs_country: {
    en: 'The PI-SPI code names your country. Choose the country of your business first.',
    fr: 'Le code PI-SPI indique votre pays. Choisissez d’abord le pays de votre entreprise.',
  },
  logo_not_valid: {
    en: ({ mostBytes }) => `A logo is a PNG or a JPEG of at most ${mostBytes / 1024} kB.`,
    fr: ({ mostBytes }) => `Un logo est un PNG ou un JPEG de ${mostBytes / 1024} ko au plus.`,
  },
  business_not_valid: {
    en: ({ field }) =>
      `The text for “${FILE_PARTS[field].en}” is too long, or has invisible characters.`,
    fr: ({ field }) =>
      `Le texte de « ${FILE_PARTS[field].fr} » est trop long, ou contient des caractères invisibles.`,
  },
  validation_not_ready: {
    en: ({ missing }) => `The file is not complete yet. Missing: ${fileParts(missing, 'en')}.`,
    fr: ({ missing }) =>
      `Le dossier n’est pas encore complet. Il manque : ${fileParts(missing, 'fr')}.`,
  },
  document_not_valid: {
    en: ({ mostBytes }) =>
      `A document is a PDF, a JPEG or a PNG of at most ${mostBytes / 1024 / 1024} MB, with a name.`,
    fr: ({ mostBytes }) =>
      `Un document est un PDF, un JPEG ou un PNG de ${mostBytes / 1024 / 1024} Mo au plus, avec un nom.`,
  },
  too_many_documents: {
    en: ({ most }) => `A merchant has at most ${most} documents. Remove one first.`,
    fr: ({ most }) => `Un marchand a au plus ${most} documents. Supprimez-en un d’abord.`,
  },
  document_not_found: {
    http: 404,
    en: 'There is no such document.',
    fr: 'Ce document n’existe pas.',
  },
} as const satisfies Rows<keyof MerchantRefusals>

const ORIGIN_FAULTS: Readonly<Record<OriginFault['is'], Both>> = {
  not_an_address: {
    en: 'must be the address of a site, like https://shop.example',
    fr: 'doit être l’adresse d’un site, comme https://shop.example',
  },
  written_otherwise: {
    en: 'must be written as browsers write it: ',
    fr: 'doit s’écrire comme les navigateurs l’écrivent : ',
  },
  not_https: { en: 'must begin with https://', fr: 'doit commencer par https://' },
}
