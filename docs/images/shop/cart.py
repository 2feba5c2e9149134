def total(prices, discount=0):
    """The price of a cart, after a discount in percent."""
    return sum(prices) * (1 - discount)
