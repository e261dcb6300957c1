// What a merchant's file says of its business. A validation needs all of it, and at least one document.

export const BUSINESS_FIELDS = ['legalName', 'registration', 'country', 'city', 'address', 'contact'] as const

export type BusinessField = (typeof BUSINESS_FIELDS)[number]

export type Business = Record<BusinessField, string>
