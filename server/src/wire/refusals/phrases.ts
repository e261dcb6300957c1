// Phrases of several refusals.

export const TEXT_EN = '1 to 255 characters, without control characters'
export const TEXT_FR = 'de 1 à 255 caractères, sans caractère de contrôle'
export const AUTHORIZATION = 'Authorization'
