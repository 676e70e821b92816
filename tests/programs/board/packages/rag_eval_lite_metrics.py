from shapes import define

define(globals())
